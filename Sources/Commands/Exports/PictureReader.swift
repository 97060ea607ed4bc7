internal import Audio
internal import Control
internal import Exports
internal import JSON
internal import Linux

/// The readers of a sound file for its pictures: child processes with almost no rights.
struct PictureReader {
  let path: String
  let file: OpenFile
  let source: ExportSource
  let console: Console

  /// Returns the levels of a part.
  func overview(_ order: PictureOrder) throws -> Overview {
    try picture(order, Overview.init(_:for:))
  }

  /// Returns the frequencies of a part.
  func spectrogram(_ order: PictureOrder) throws -> Spectrogram {
    try picture(order, Spectrogram.init(_:for:))
  }

  private func picture<Picture>(
    _ order: PictureOrder, _ read: (JSONObject, PictureOrder) -> Picture?
  ) throws -> Picture {
    let line = try ProgressLine("Reading", path, console)
    defer { line.end() }
    return try SoundReading.picture(
      of: file, raw: source.raw, order, at: path, line, read)
  }

  /// Writes a part as a FLAC file into another open file.
  func writeFLAC(_ range: Range<FrameCount>, to target: borrowing Descriptor) throws {
    var plan = ExportPlan(.flac)
    plan.from = range.lowerBound.duration(at: source.rate)
    plan.to = range.upperBound.duration(at: source.rate)
    let line = try ProgressLine("Exporting", path, console)
    defer { line.end() }
    let export = Export(of: source, in: file, by: openDecoder, progress: line.update)
    let directory = Environment.value(of: "TMPDIR") ?? "/var/tmp"
    _ = try exporting(path) {
      try export.run(plan, to: .stream(target.number, temporaryIn: directory))
    }
  }
}
