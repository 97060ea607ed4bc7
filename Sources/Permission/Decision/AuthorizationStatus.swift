/// The microphone access of recorder; the numbers are those of `AVAuthorizationStatus`.
package enum AuthorizationStatus: Int, CaseIterable, Sendable {
  /// Undecided; a start may ask.
  case notDetermined = 0
  /// Forbidden by the administrator; the user cannot change it.
  case restricted = 1
  /// Refused by the user, or the stored decisions cannot be trusted.
  case denied = 2
  /// The microphone may be used.
  case authorized = 3
}

extension AuthorizationStatus: CustomStringConvertible {
  /// The status's name in JSON and in reports.
  package var description: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorized: "authorized"
    }
  }
}
