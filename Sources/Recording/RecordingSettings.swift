package import Audio
package import Linux

/// The settings of a recording that do not concern the device or the file.
package struct RecordingSettings: Sendable {
  /// The changes between the device and the file.
  package var changes = FrameChanges()
  /// The tracks, with their channels in the device's frames.
  package var tracks: [Track] = []
  /// The lengths and sizes that end the take or start a new file.
  package var limits = TakeLimits()
  /// The levels that start and stop the take.
  package var voice = VoiceSettings()
  /// The size of the ring between the device and the file, as a duration. The ring stores the sound
  /// while the disk is stalled.
  package var memory: Duration = .seconds(12)
  /// The longest wait for a lost device, or nil to end the take immediately.
  package var patience: Duration?
  /// The seed of the dither.
  package var seed: UInt64 = 1
  /// The clock of the capture thread.
  package var clock: any StreamClock = KernelStreamClock()
  /// The listener of the take, or nil if there is none.
  package var monitor: (any TakeMonitor)?

  /// Settings for a take of all channels without limits that starts immediately.
  package init() {}
}
