import Foundation
import RecorderKit

/// Sound that a test can tell from any other.
public enum Tones {
  /// A sine of that many frames a period, each channel a quarter of a period later.
  public static func sine(
    frames: Int, channels: Int = 1, period: Double = 109, amplitude: Float = 0.5
  ) -> [Float] {
    (0..<frames * channels).map { index in
      let (frame, channel) = (Double(index / channels), Double(index % channels))
      return amplitude * Float(sin(2 * .pi * (frame / period + channel / 4)))
    }
  }

  /// Numbers of 16 bits that repeat after 65,521 samples: no frame is like its neighbours.
  public static func counted(_ count: Int) -> [Int16] {
    (0..<count).map { Int16(truncatingIfNeeded: ($0 % 65_521) &* 40_503) }
  }

  /// Writes a file of a sine; the ending of its name chooses the kind.
  @discardableResult
  public static func write(
    _ url: URL, frames: Int = 48_000, rate: Int = 48_000, channels: Int = 1,
    sample: AudioFormat.Sample = .int16, amplitude: Float = 0.5
  ) throws -> [Float] {
    let samples = sine(frames: frames, channels: channels, amplitude: amplitude)
    let file = try AudioFileWriter(
      url.path, format: AudioFormat(rate: rate, channels: channels, sample: sample),
      replacing: true)
    try file.write(samples)
    try file.close()
    return samples
  }
}
