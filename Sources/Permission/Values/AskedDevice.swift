/// The device to open, as far as it is known when the permission is asked for.
package enum AskedDevice: Hashable, Sendable {
  /// No device was named; the question is about the microphone in general.
  case unspecified
  /// A card, by all of its names, such as `hw:0,0`, `hw:CARD=USB,DEV=0` and `hw:USB,0`.
  case card(names: [String])
  /// A plugin whose card could not be found.
  case unresolved
}
