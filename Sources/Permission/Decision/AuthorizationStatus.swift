/// Whether recorder may use the microphone; the numbers are those of `AVAuthorizationStatus`.
package enum AuthorizationStatus: Int, CaseIterable, Sendable {
  /// Nobody has said anything yet; a start may ask.
  case notDetermined = 0
  /// The administrator forbids it, and the user cannot change that.
  case restricted = 1
  /// The user said no, or what would say yes cannot be trusted.
  case denied = 2
  /// The microphone may be used.
  case authorized = 3
}

extension AuthorizationStatus: CustomStringConvertible {
  /// The name that JSON uses too.
  package var description: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorized: "authorized"
    }
  }
}
