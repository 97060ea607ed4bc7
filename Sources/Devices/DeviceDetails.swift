/// The facts that the sound server reports about the device of a track.
package struct DeviceDetails: Hashable, Sendable {
  /// The server's description of the device, or nil if it is unknown.
  package var title: String?
  /// How much later than in the first track a sound is in this track, or nil if it is unknown.
  package var offset: Duration?

  /// The details of a device, unknown by default.
  package init(title: String? = nil, offset: Duration? = nil) {
    self.title = title
    self.offset = offset
  }
}
