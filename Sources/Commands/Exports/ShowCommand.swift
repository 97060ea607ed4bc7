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
    .one, summary: "Sound file to show; or a take, as @1")
  /// The flag that draws frequencies.
  package static let spectrogram = Flag(
    "spectrogram", summary: "Draw the strength of the frequencies instead of the levels")
  /// The width of the picture.
  package static let width = Option<PictureSize>(
    "width", summary: "Columns (default: those of the terminal, or 80); of a PNG or SVG, pixels")
  /// The height of the picture.
  package static let height = Option<PictureSize>(
    "height", summary: "Rows for each channel, or of the spectrogram; of a PNG or SVG, pixels")
  /// The PNG picture to write.
  package static let png = Option<FilePath>("png", summary: "Write a PNG picture; - is stdout")
  /// The SVG picture to write.
  package static let svg = Option<FilePath>("svg", summary: "Write an SVG picture; - is stdout")
  /// The web page to write.
  package static let page = Option<FilePath>(
    "page", summary: "Write a web page with a player, both pictures and the marks; - is stdout")

  /// The description of the command. It reads sound files.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Draw a take, or make a picture or a page of it",
      details: [
        "Draws the peaks of each channel over time. Below them, ^ is a mark, x a gap in the recording, and ! "
          + "a place with clipped samples, which are red on a color terminal; marks and gaps are listed "
          + "with their times.",
        "--spectrogram draws frequencies from bottom to top, equally spaced to the ear (mel scale); all "
          + "channels are drawn as one.",
        "--png, --svg and --page write files instead, and never replace one. A picture has 1200x400 pixels "
          + "by default. The page is one file for any browser, and loads nothing from a network. Sound up "
          + "to 20 MB is put into the page; a longer take is linked, and has to stay where it is relative "
          + "to the page.",
        "On a terminal, \"recorder show\" without FILE opens a list of takes to pick from.",
        "With --json, prints the peak and the mean level of each stretch in dBFS, or the level of each "
          + "stretch and row of the spectrogram.",
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
        Example("recorder show --page talk.html @1", "Make a page to send or to keep"),
      ],
      ends: [.notFound, .alreadyRecording, .outputRefused, .notASound, .interrupted])
  }
}

extension ShowCommand {
  /// Draws the requested part of the file. A child process reads the file.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    guard let named = arguments[file].first else { return SilentReport(exitCode: .usage) }
    let show = try ShowPlan(arguments)
    let path = try TakeLookup.path(of: named, console)
    let part = try SoundPart(arguments)
    let sound = try OpenSound(path, console)
    let source = sound.source
    var plan = ExportPlan(.w64)
    (plan.from, plan.to) = (part.from, part.to)
    let range: Range<FrameCount>
    do throws(ExportError) {
      range = try ExportLayout(plan, source).range
    } catch {
      throw Failure(exporting: path, error)
    }
    let reader = ConfinedPictureReader(
      path: path, file: sound.file, source: source, console: console)
    let pictures = TakePictures(of: path, sound.file, source, range, by: reader)
    do throws(TakePictureError<Failure>) {
      guard !show.files.isEmpty else { return try pictures.drawn(show) }
      return PictureReport(path, try pictures.written(show)).shown(console)
    } catch {
      throw Failure(picturing: path, error)
    }
  }
}

extension Failure {
  /// The failure to make pictures.
  fileprivate init(picturing path: String, _ error: TakePictureError<Failure>) {
    switch error {
    case .reader(let failure): self = failure
    case .source(let errno):
      self.init(.notFound, Message("cannot read", on: path, why: "\(errno)"))
    case .output(let cause): self.init(writing: cause)
    case .picture(.missing(let words)):
      self.init(
        .failed,
        Message(
          "cannot make the picture: \(printable(words))", advice: MissingLibrary(in: words)?.advice)
      )
    case .picture(.library(let function)):
      self.init(.failed, Message("cannot make the picture: \(function) failed"))
    }
  }
}

/// A picture reader that uses child processes with almost no rights.
private struct ConfinedPictureReader: PictureReader {
  let path: String
  let file: OpenFile
  let source: ExportSource
  let console: Console

  func overview(_ order: PictureOrder) throws(Failure) -> Overview {
    try picture(order, Overview.init(_:for:))
  }

  func spectrogram(_ order: PictureOrder) throws(Failure) -> Spectrogram {
    try picture(order, Spectrogram.init(_:for:))
  }

  private func picture<Picture>(
    _ order: PictureOrder, _ read: (JSONObject, PictureOrder) -> Picture?
  ) throws(Failure) -> Picture {
    let line = try ProgressLine("Reading", console)
    defer { line.end() }
    return try SoundReading.picture(
      of: file, raw: source.raw, order, at: path, line, read)
  }

  func writeFLAC(_ range: Range<FrameCount>, to target: borrowing Descriptor) throws(Failure) {
    var plan = ExportPlan(.flac)
    plan.from = range.lowerBound.duration(at: source.rate)
    plan.to = range.upperBound.duration(at: source.rate)
    let line = try ProgressLine("Exporting", console)
    defer { line.end() }
    let export = Export(of: source, in: file, by: openDecoder, progress: line.watch)
    do throws(ExportError) {
      let directory = Environment.value(of: "TMPDIR") ?? "/var/tmp"
      _ = try export.run(plan, to: .stream(target.number, temporaryIn: directory))
    } catch {
      throw Failure(exporting: path, error)
    }
  }
}
