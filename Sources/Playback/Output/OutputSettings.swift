/// How one output mixes.
package struct OutputSettings: Hashable, Sendable {
  /// How long a stop or a jump takes to be silent without a click.
  package var fade: Duration = .milliseconds(5)
  /// How much is made at once; never less than a fade.
  package var period: Duration = .milliseconds(5)
  /// How many sounds there can be at once, those that are stopped included.
  package var voices = 256
  /// How many commands may wait.
  package var commands = 1_024
  /// Noise for lost bits starts here.
  package var seed: UInt64 = 1
  /// How long a device that went is waited for.
  package var patience: Duration = .seconds(10)
  /// Silence played after the last sound, for what lies behind the device's buffer.
  package var silence: Duration = .milliseconds(200)

  package init() {}
}
