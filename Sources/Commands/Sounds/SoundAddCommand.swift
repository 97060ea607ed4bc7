internal import Audio
internal import Control
internal import Decoding
internal import Files
internal import JSON
internal import Linux
internal import Sounds

/// The command `sound add`, which adds a file to the user's sounds.
package enum SoundAddCommand: RunnableCommand {
  /// The two words after `recorder`.
  package static var words: [String] { ["sound", "add"] }

  /// The file to add.
  package static let file = Operand<FileOrTake>(
    .one, summary: "Sound file: WAV, RF64, W64, AIFF, AU, CAF, FLAC, Ogg or MP3")
  /// The option that names the sound.
  package static let name = Option<Text>(
    "name", short: "n", summary: "Name of the sound (default: the file name without its extension)")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Add a file to your own sounds",
      details: [
        "Decodes the file to its end and, if that succeeds, copies it to your own sounds. They have "
          + "priority over all other sounds of the same name.",
        "Never replaces one of your own sounds: remove that sound first, or choose another --name.",
      ],
      operands: [file],
      options: [OptionGroup("Options", [name])],
      examples: [
        Example("recorder sound add bark.ogg", "Play it with \"recorder play bark\""),
        Example(
          "recorder sound add tada.wav --name done",
          "Play tada.wav instead of the bundled sound \"done\""),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .notASound])
  }
}

extension SoundAddCommand {
  /// Decodes the whole file and copies it to the user's own sounds. Throws if one of these sounds
  /// has the same name.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let path =
      try arguments[file].first.map { file in
        try TakeLookup.path(of: file, console)
      } ?? ""
    let sound = try soundName(arguments[name]?.value, path)
    let environment = try PlayerEnvironment.current()
    let opened = try mapError(
      { (error: Failure) in RecordedFile(path).refusal(advising: "show") ?? error },
      OpenFile.sound(path))
    let duration = try decode(opened.descriptor, path, console)
    let ending = try ending(of: opened, path)
    let own = UserSounds(for: environment)
    let hidden = SoundRemoveCommand.other(
      sound, in: SoundLibrary(for: environment, bundled: BundledSounds.directory))
    let addedPath = try mapError(
      { Failure(adding: sound.text, $0) }, own.add(opened.descriptor, as: sound, ending: ending))
    return SoundAddedReport(name: sound.text, path: addedPath, duration: duration, hidden: hidden)
  }

  private static func soundName(_ typed: String?, _ path: String) throws -> SoundName {
    let whole = path.pathNames.last ?? path
    let stem = whole.nameParts.stem
    return try .checked(
      typed ?? stem, advice: "give a name to play it by, such as --name bark")
  }

  /// Decodes the whole file, as a play does, and returns its length. A damaged file is refused. A
  /// truncated file is added with a warning.
  private static func decode(
    _ file: borrowing Descriptor, _ path: String, _ console: Console
  ) throws -> Duration {
    let rate = SampleRate.hz48000
    let format = StreamFormat(rate: rate, channels: .mono, sample: .float32)
    var bytes = 0
    try decoding(path) {
      let order = DecodeOrder(name: path, format: format)
      let decoder = try openDecoder(file, order, from: 0)
      let head = try decoder.head()
      try decoder.run { bytes += $0.byteCount }
      if let flaw = head.flaw { console.warn(flaw.warning(about: path)) }
    }
    return FrameCount(bytes / MemoryLayout<Float>.size).duration(at: rate)
  }

  /// Returns the extension of the path if the library searches for it, or else the extension for
  /// the contents of the file.
  private static func ending(of file: OpenFile, _ path: String) throws -> String {
    let own = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    if UserSounds.endings.contains(own) { return own }
    switch try SoundReading.describe([file]).first {
    case .described(let description): return description.ending
    case .problem(let problem): throw Failure(reading: path, problem)
    case nil:
      throw Failure(.failed, "cannot read", on: path, why: "it could not be examined")
    }
  }
}

extension Failure {
  fileprivate init(adding name: String, _ error: any Error) {
    switch error {
    case UserSounds.Failure.taken(let path):
      self.init(
        .outputRefused, "cannot add", on: name, why: "that name is taken by \"\(path)\"",
        advice: "choose another --name, or type \"recorder sound remove \(printable(name))\" first")
    case let cause as SystemError:
      self.init(
        .outputRefused, "cannot add", on: name, why: "\(cause)",
        advice: cause.errno.remedy(byMoving: "XDG_DATA_HOME").map(Message.repair))
    default: self.init(explaining: error)
    }
  }
}

/// The report of a file that was added as a sound.
private struct SoundAddedReport: Report {
  let name: String
  let path: String
  let duration: Duration
  /// The sound that the name played before, or nil if there was none.
  let hidden: LibrarySound?

  var json: JSONObject {
    [
      "sound": [
        "name": name.json, "path": path.json, "duration": duration.json, "source": "user",
      ]
    ]
  }

  func text(_ style: Style) -> String {
    // The path is alone on its line, so that a user can copy it.
    let added = "\(printable(path))\n\(quoted(name)) plays this file, \(clock(duration)) long.\n"
    guard let hidden else { return added }
    return added + "It is played instead of the sound that \(hidden.entry.source.sentence).\n"
  }
}
