/// The device that is to be used, as far as it is known when the permission is asked for.
package enum AskedDevice: Hashable, Sendable {
  /// None was named: the question is about the microphone as such.
  case unspecified
  /// A card, by all of its names, such as `hw:0,0`, `hw:CARD=USB,DEV=0` and `hw:USB,0`.
  case card(names: [String])
  /// A plugin behind which no card could be found.
  case unresolved
}
