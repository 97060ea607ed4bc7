package import Audio

/// Everything about a recording that is no device and no file.
package struct RecordingSettings: Sendable {
  /// The changes between the device and the file.
  package var changes = FrameChanges()
  /// The lengths and sizes at which the take ends or starts a new file.
  package var limits = TakeLimits()
  /// The levels that start and stop the take.
  package var voice = VoiceSettings()
  /// The length of sound that fits between the device and a disk that stands still.
  package var memory: Duration = .seconds(12)
  /// The longest wait for a device that went; nil ends the take at once.
  package var patience: Duration?
  /// The seed of the dither.
  package var seed: UInt64 = 1
  /// The capture thread's time.
  package var clock: any CaptureClock = KernelCaptureClock()

  /// A take of all channels without limits, which starts at once.
  package init() {}
}
