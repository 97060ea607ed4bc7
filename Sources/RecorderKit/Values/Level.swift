internal import Glibc

/// The loudness of a stretch of one channel.
public struct Level: Hashable, Sendable {
  /// The largest magnitude of a sample, 1 being full scale.
  public var peak: Double
  /// The root of the mean square, 1 being the square wave of full scale.
  public var rms: Double
  /// The number of samples at full scale.
  public var clipped: Int

  /// A level that was measured elsewhere.
  public init(peak: Double, rms: Double, clipped: Int = 0) {
    self.peak = peak
    self.rms = rms
    self.clipped = clipped
  }

  /// Digital silence.
  public static let silence = Level(peak: 0, rms: 0)

  /// The peak and the mean in decibels of full scale; minus infinity for silence.
  public var decibels: (peak: Double, rms: Double) { (20 * log10(peak), 20 * log10(rms)) }
}

/// The loudness of a stretch of sound, as a whole and by channel.
public struct Levels: Hashable, Sendable {
  /// The loudness of all channels together.
  public var all: Level
  /// The loudness of each channel.
  public var channels: [Level]

  /// Levels that were measured elsewhere.
  public init(all: Level, channels: [Level]) {
    self.all = all
    self.channels = channels
  }
}
