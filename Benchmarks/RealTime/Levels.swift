import Audio
import RealTime

/// Benchmarks of the meter, for every format and several numbers of channels.
enum Levels {
  static func run() {
    for format in SampleFormat.allCases {
      measure(format, .stereo)
    }
    for channels in [1, 6, 32].compactMap({ ChannelCount($0) }) { measure(.int16, channels) }
  }

  private static func measure(_ format: SampleFormat, _ channels: ChannelCount) {
    let samples = 4_800
    let bytes = Conversions.noise(format, samples: samples)
    var meter = LevelMeter(format, channels: channels)
    Stopwatch.report("meter of \(format), \(channels)", samples: samples) {
      meter.measure(bytes.span.bytes)
    }
    _ = meter.take()
  }
}
