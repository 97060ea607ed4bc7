import Foundation
import RecorderKit

/// Sound that a test can distinguish from any other sound.
public enum Tones {
  /// Returns a sine with `period` frames per period. Each channel is a quarter of a period ahead of
  /// the previous one.
  public static func sine(
    frames: Int, channels: Int = 1, period: Double = 109, amplitude: Float = 0.5
  ) -> [Float] {
    (0..<frames * channels).map { index in
      let (frame, channel) = (Double(index / channels), Double(index % channels))
      return amplitude * Float(sin(2 * .pi * (frame / period + channel / 4)))
    }
  }

  /// Returns 16-bit numbers that repeat after 65,521 samples. Each frame differs from the frames
  /// next to it.
  public static func counted(_ count: Int) -> [Int16] {
    (0..<count).map { Int16(truncatingIfNeeded: ($0 % 65_521) &* 40_503) }
  }

  /// Writes a file of a sine, and returns its samples. The filename extension chooses the format.
  @discardableResult
  public static func write(
    _ url: URL, frames: Int = 48_000, rate: Int = 48_000, channels: Int = 1,
    sample: AudioFormat.SampleFormat = .int16, amplitude: Float = 0.5
  ) throws -> [Float] {
    let samples = sine(frames: frames, channels: channels, amplitude: amplitude)
    let file = try AudioFileWriter(
      creating: url.path,
      format: AudioFormat(sampleRate: rate, channelCount: channels, sampleFormat: sample),
      replacingExisting: true)
    try file.write(samples)
    try file.close()
    return samples
  }
}
