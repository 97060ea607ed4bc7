internal import Analysis
internal import Decoding
internal import Exports
internal import JSON
internal import Linux
internal import Store

/// The command `info`, which describes sound files.
package enum InfoCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["info"] }

  /// The files to describe.
  package static let files = Operand<FileOrTake>(
    .many,
    summary: "Sound file (WAV, RF64, W64, AIFF, AU, CAF, FLAC, Ogg, MP3), or a take such as @1")
  /// The flag that reads each file to its end and measures its levels.
  package static let levels = Flag(
    "levels", short: "l", summary: "Read each whole file, and also show its levels")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Show the format and tags of sound files",
      details: [
        "Shows the container, encoding, sample rate, channels, length, tags and markers of each "
          + "file. Reads any sound file, not only recordings. For a take, the title, the comment and the "
          + "marks that the file itself does not have come from its FILE.json.",
        "--levels of the first file of a take with a file for each track measures all these files.",
        "If a file is cut short or has extra bytes at its end, a row shows how many frames it has.",
        "On a terminal, \"recorder info\" without FILE opens a list of takes to pick from.",
        "If a file cannot be read, the others are still shown; the exit code is that of the first "
          + "failure.",
      ],
      operands: [files],
      options: [OptionGroup("Options", [levels])],
      examples: [
        Example("recorder info take.wav", "Show the format and tags of take.wav"),
        Example("recorder info @1", "Show the format and tags of the newest take"),
        Example("recorder info --levels *.flac", "Also show the levels of these files"),
        Example("recorder info --json take.wav", "Print them as JSON"),
      ],
      ends: [.notFound, .alreadyRecording, .notASound, .interrupted])
  }
}

extension InfoCommand {
  /// Describes each file. Unreadable files are reported on stderr and are part of the report.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let entries = try arguments[files].map { file in
      do {
        let path = try TakeLookup.path(of: file, console)
        return try entry(path, measuringLevels: arguments[levels], console)
      } catch {
        let failure = Failure(explaining: error)
        guard file.reference != nil, failure.code == .notFound else { throw failure }
        console.complain(failure.message)
        return .unreadable(path: file.text, failure)
      }
    }
    return InfoReport(entries: entries)
  }

  /// Reads a file in a child process, because the file may come from an untrusted source.
  private static func entry(
    _ path: String, measuringLevels: Bool, _ console: Console
  ) throws -> InfoReport.Entry {
    do {
      let file = try OpenFile.sound(path)
      switch try SoundReading.examine(file, at: path) {
      case .described(var description):
        description.addSidecar(beside: path, console)
        if let title = TakeLookup.changedTitle(at: path) { description.setTitle(title) }
        if measuringLevels {
          description.hasLevelsOfTake = TakeLookup.wholeTracks(at: path, console).count > 1
          description.levels = try measured(file, description, path, console)
        }
        if RecordedFile(path).isPart {
          console.note("\(quoted(path)) is being recorded")
          description.ignoreFlaw()
        }
        return .file(path: path, description)
      case .problem(let problem): throw Failure(reading: path, problem)
      }
    } catch {
      var failure = Failure(explaining: error)
      guard [.notASound, .notFound, .failed].contains(failure.code) else { throw failure }
      failure =
        RecordedFile(path).refusal(advising: "info") ?? failure.suggesting(takeFor: path)
      console.complain(failure.message)
      return .unreadable(path: path, failure)
    }
  }
}

extension InfoCommand {
  /// Returns the levels of a file, which a child process decodes, or nil if its length is unknown.
  /// For a take with a file for each track, returns the levels of all files.
  private static func measured(
    _ file: OpenFile, _ description: SoundDescription, _ path: String, _ console: Console
  ) throws -> SoundLevels? {
    guard var source = description.source else { return nil }
    if let sidecar = TakeLookup.sidecar(of: path) { source.addSidecar(at: sidecar) }
    let line = try ProgressLine("Measuring", path, console)
    defer { line.end() }
    let status = try? file.descriptor.status()
    let export =
      try description.hasLevelsOfTake
      ? ExportedTake(path, track: nil, console).export(progress: line.update)
      : Export(of: source, in: file, by: openDecoder, progress: line.update)
    let (levels, refusal) = try exporting(path) { try export.measured() }
    line.end()
    if let refusal { console.note(refusal.message) }
    if let status { TakeLookup.note(levels, of: path, status) }
    return levels
  }
}

/// The contents of several sound files, and the reasons why others could not be read.
struct InfoReport: Report {
  /// The facts of a file that was read, or the reason why a file could not be read.
  enum Entry: Equatable {
    case file(path: String, SoundDescription)
    case unreadable(path: String, Failure)
  }

  let entries: [Entry]

  var exitCode: ExitCode { failures.first?.code ?? .done }

  /// Describes the files that could be read. The others were reported on stderr.
  func text(_ style: Style) -> String {
    let files = entries.compactMap { entry in
      if case .file(let path, let file) = entry {
        style.heading(printable(path)) + "\n" + definitions(file.rows)
      } else {
        nil
      }
    }
    return files.joined(separator: "\n")
  }

  var json: JSONObject { ["files": .array(entries.map(json))] }

  private var failures: [Failure] {
    entries.compactMap { entry in
      if case .unreadable(_, let failure) = entry { failure } else { nil }
    }
  }

  private func json(_ entry: Entry) -> JSONValue {
    switch entry {
    case .file(let path, let file):
      var object: JSONObject = ["path": path.json]
      for member in file.members.members { object[member.key] = member.value }
      object["levels"] = file.levels?.json ?? .null
      return .object(object)
    case .unreadable(let path, let failure): return failure.json(at: path)
    }
  }
}
