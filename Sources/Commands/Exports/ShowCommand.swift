internal import Audio
internal import Control
internal import Exports
internal import Files
internal import JSON
internal import Linux
internal import Pictures

/// The command `show`, which draws a take in the terminal, as a picture or on a page.
package enum ShowCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["show"] }

  /// The sound to show.
  package static let file = Operand<FileOrTake>(
    .one, summary: "Sound file to show, or a take such as @1")
  /// The flag that draws frequencies.
  package static let spectrogram = Flag(
    "spectrogram", summary: "Draw the strength of the frequencies instead of the levels")
  /// The width of the picture.
  static let width = Option<PictureSize>(
    "width", summary: "Columns (default: the terminal's, or 80), or pixels of a PNG or SVG")
  /// The height of the picture.
  static let height = Option<PictureSize>(
    "height", summary: "Rows per channel, track or spectrogram, or pixels of a PNG or SVG")
  /// The PNG picture to write.
  package static let png = Option<OutputPath>(
    "png", summary: "Write a PNG picture; \"-\" is stdout")
  /// The SVG picture to write.
  package static let svg = Option<OutputPath>(
    "svg", summary: "Write an SVG picture; \"-\" is stdout")
  /// The web page to write.
  package static let page = Option<OutputPath>(
    "page", summary: "Write a web page with a player, both pictures and the marks; \"-\" is stdout")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Draw a take as text, a picture or a web page",
      details: [
        "Draws the peaks of each channel or track over time. Below them, ^ is a mark, x a gap in the recording, and ! "
          + "a position with clipped samples, red on a color terminal. Marks and gaps are listed "
          + "with their times.",
        "--spectrogram draws the frequencies from bottom to top on a mel scale, as people hear them; all "
          + "channels are drawn as one.",
        "--png, --svg and --page write new files; they never replace one. A picture has 1200x400 pixels "
          + "by default. The page is one file for any browser, and loads nothing from a network. Audio up "
          + "to 20 MB is stored in the page. A longer take is linked: if you move the page, move the "
          + "file of the take with it. The page can mute the tracks of a take.",
        "On a terminal, \"recorder show\" without FILE opens a list of takes to pick from.",
        "With --json, prints the peak and the mean level of each column in dBFS, or the level of each "
          + "column and row of the spectrogram.",
      ],
      operands: [file],
      options: [
        OptionGroup("Part", [SoundPart.from, SoundPart.to]),
        OptionGroup("Picture", [spectrogram, width, height]),
        OptionGroup("Output", [png, svg, page]),
      ],
      examples: [
        Example("recorder show @1", "Draw the newest take"),
        Example("recorder show --from 1:30 --to 1:40 talk.wav", "Draw ten seconds of a file"),
        Example("recorder show --width 200 --height 16 talk.wav", "Draw a large waveform"),
        Example("recorder show --spectrogram @1", "Draw its frequencies"),
        Example("recorder show --png talk.png --width 2000 talk.wav", "Make a picture"),
        Example("recorder show --page talk.html @1", "Write a page to send or to keep"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .notASound, .interrupted])
  }
}

extension ShowCommand {
  /// Draws the requested part of the file. A child process reads the file.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    guard let named = arguments[file].first else { return SilentReport(exitCode: .usage) }
    let show = try ShowPlan(arguments)
    let path = try TakeLookup.path(of: named, console)
    let part = try SoundPart(arguments)
    let sound = try OpenSound(path, console)
    var source = sound.source
    let tracks = TakeLookup.wholeTracks(at: path, console)
    var files = [TakePictures.File(path: path, sound: sound)]
    for other in tracks.dropFirst().compactMap(\.file) {
      files.append(TakePictures.File(path: other, sound: try OpenSound(other, console)))
    }
    OpenSound.warnOfLengths(files.map(\.sound), at: files.map(\.path), console)
    if files.count > 1 { source = ExportSource(files.map(\.sound.source), of: tracks) }
    var plan = ExportPlan(.w64)
    (plan.from, plan.to) = (part.from, part.to)
    let layout = try exporting(path) { try ExportLayout(plan, source) }
    part.remark(on: layout, console)
    let pictures = TakePictures(
      range: layout.range, files: files, source: source, console: console)
    guard !show.files.isEmpty else { return try pictures.drawn(show) }
    return PictureReport(source: path, files: try pictures.written(show)).shown(console)
  }
}

extension ShowPlan {
  /// Reads the plan from the options. Throws if two files use stdout, if one file uses stdout and
  /// stdout is a terminal, or if an extension belongs to another kind of file.
  fileprivate init(_ arguments: Arguments) throws {
    isSpectrogram = arguments[ShowCommand.spectrogram]
    let wishes: [(Kind, OutputPath?)] = [
      (.png, arguments[ShowCommand.png]), (.svg, arguments[ShowCommand.svg]),
      (.page, arguments[ShowCommand.page]),
    ]
    files = wishes.compactMap { kind, path in path.map { File(kind: kind, path: $0.text) } }
    width = arguments[ShowCommand.width]?.value
    height = arguments[ShowCommand.height]?.value
    for file in files { try file.kind.check(file.path) }
    let streams = files.filter { $0.path == "-" }
    guard streams.count < 2 else {
      throw Failure(.usage, "\"-\" may be given only once: stdout can take only one file")
    }
    guard let stream = streams.first else { return }
    if Terminal.isTerminal(StandardStream.output.rawValue) {
      throw Failure(
        .usage, "\"-\" sends the file to stdout, which is this terminal",
        advice: "give a file, or send it to a program: recorder show FILE --\(stream.kind) - | …")
    }
  }
}
