/// Facts about the device of a track.
package struct DeviceDetails: Hashable, Sendable {
  /// The sound server's description of the device, or nil if it is unknown.
  package var title: String?
  /// The delay of a sound in this track relative to the first track, or nil if it is unknown.
  package var offset: Duration?
  /// Whether the device's clock cannot be followed, because it differs too much from the clock of
  /// the first track, or because one of these two clocks is irregular. The track then has
  /// interruptions.
  package var isBeyondRange = false
  /// Whether the device is a program that plays nothing now.
  package var isIdle = false

  /// The details of a device, unknown by default.
  package init(title: String? = nil, offset: Duration? = nil) {
    self.title = title
    self.offset = offset
  }
}
