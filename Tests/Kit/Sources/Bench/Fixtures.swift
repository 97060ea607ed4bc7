import Foundation
import RecorderKit

/// A sound with known frames.
public enum Fixture {
  /// The number of frames.
  public static let frames = 48_000

  /// One second of a sine in one channel at 48 kHz, without a silent sample.
  public static let samples: [Float] = (0..<frames).map { index in
    let number = Int16((sin(2 * .pi * (Double(index) + 0.25) / 109) * 16_000).rounded())
    return Float(number == 0 ? 1 : number) / 32_768
  }

  /// Writes frames of the sine as a 16-bit WAV file. The sine starts over after each second.
  @discardableResult
  public static func write(
    to scratch: Scratch, _ name: String = "tone.wav", frames count: Int = frames
  ) throws -> URL {
    let file = try AudioFileWriter(
      creating: scratch.path(name),
      format: AudioFormat(sampleRate: 48_000, channelCount: 1, sampleFormat: .int16),
      replacingExisting: true)
    try file.write((0..<count).map { samples[$0 % frames] })
    try file.close()
    return scratch.file(name)
  }
}
