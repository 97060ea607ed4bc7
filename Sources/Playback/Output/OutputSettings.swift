/// The settings of one output's mix.
package struct OutputSettings: Hashable, Sendable {
  /// The time in which a stop or a jump fades to silence, without a click.
  package var fade: Duration = .milliseconds(5)
  /// The audio rendered at once; never less than a fade.
  package var period: Duration = .milliseconds(5)
  /// The most sounds at once, stopped ones included.
  package var voices = 256
  /// The most commands that can wait.
  package var commands = 1_024
  /// The seed of the dither noise.
  package var seed: UInt64 = 1
  /// The longest wait for a lost device.
  package var patience: Duration = .seconds(10)
  /// Silence played after the last sound, to push it through any buffers behind the device's.
  package var silence: Duration = .milliseconds(200)

  /// The usual settings.
  package init() {}
}
