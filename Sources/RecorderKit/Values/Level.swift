internal import Glibc

/// The loudness of one channel, or of all channels together, over a short time.
public struct Level: Hashable, Sendable {
  /// The highest absolute value of a sample; full scale is 1.
  public var peak: Double
  /// The root mean square; a square wave of full scale is 1.
  public var rms: Double
  /// The number of samples at full scale.
  public var clipped: Int

  /// Creates a level from measured values.
  public init(peak: Double, rms: Double, clipped: Int = 0) {
    self.peak = peak
    self.rms = rms
    self.clipped = clipped
  }

  /// Digital silence.
  public static let silence = Level(peak: 0, rms: 0)

  /// The peak in dBFS; minus infinity for silence.
  public var peakDecibels: Double { 20 * log10(peak) }
  /// The RMS level in dBFS; minus infinity for silence.
  public var rmsDecibels: Double { 20 * log10(rms) }
}

/// The loudness of all channels together and of each channel, over a short time.
public struct Levels: Hashable, Sendable {
  /// The loudness of all channels together.
  public var all: Level
  /// The loudness of each channel.
  public var channels: [Level]

  /// Creates levels from measured values.
  public init(all: Level, channels: [Level]) {
    self.all = all
    self.channels = channels
  }
}
