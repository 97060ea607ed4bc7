internal import Audio
package import CommandLine
internal import Files
internal import RealTime

extension InfoCommand: Carrier {
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let entries = arguments[files].map { file in
      entry(file.text, measuring: arguments[levels], console)
    }
    return InfoReport(entries: entries)
  }

  private static func entry(
    _ path: String, measuring: Bool, _ console: Console
  ) -> InfoReport.Entry {
    do throws(SoundFileError) {
      var reader = try SoundFileReader(path: path)
      let level = measuring ? try level(of: &reader) : nil
      return .file(SoundFileReport(path: path, info: reader.info, level: level))
    } catch {
      let failure = Failure(reading: path, error)
      console.complain(failure.message)
      return .unreadable(path: path, failure)
    }
  }

  /// Reads everything that is left and measures it.
  private static func level(of reader: inout SoundFileReader) throws(SoundFileError) -> Level {
    let channels = reader.channels
    var meter = LevelMeter(.float32, channels: channels)
    var samples = [Float](repeating: 0, count: max(1, 65_536 / channels.value) * channels.value)
    while true {
      var span = samples.mutableSpan
      let count = try reader.read(into: &span) * channels.value
      guard count > 0 else { return meter.take() }
      meter.measure(samples.span.extracting(first: count))
    }
  }
}
