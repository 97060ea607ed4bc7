/// The facts that the sound server reports about the device of a track.
package struct DeviceDetails: Hashable, Sendable {
  /// The server's description of the device, or nil if it is unknown.
  package var title: String?
  /// The delay of a sound in this track relative to the first track, or nil if it is unknown.
  package var offset: Duration?
  /// Whether the clock cannot be followed, so that the track has interruptions: the difference to the
  /// clock of the first track is too large, or one of the two clocks is irregular.
  package var isBeyondRange = false
  /// Whether the device is a program that plays nothing now.
  package var isIdle = false

  /// The details of a device, unknown by default.
  package init(title: String? = nil, offset: Duration? = nil) {
    self.title = title
    self.offset = offset
  }
}
