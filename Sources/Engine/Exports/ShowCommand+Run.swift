internal import Audio
package import CommandLine
internal import Control
internal import Exports
internal import Files
internal import JSON
internal import Linux
internal import Pictures

extension ShowCommand: RunnableCommand {
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
    case .picture(.library):
      self.init(.failed, Message("cannot make the picture: zlib failed"))
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
