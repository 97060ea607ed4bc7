package import Audio

/// Everything about a recording that is no device and no file.
package struct RecordingSettings: Sendable {
  package var changes = FrameChanges()
  package var limits = TakeLimits()
  package var voice = VoiceSettings()
  /// How much sound fits between the device and a disk that stands still.
  package var memory: Duration = .seconds(12)
  /// How long a device that went is waited for; nil ends the take.
  package var patience: Duration?
  /// Noise for lost bits starts here.
  package var seed: UInt64 = 1
  /// The capture thread's time.
  package var clock: any CaptureClock = KernelCaptureClock()

  package init() {}
}
