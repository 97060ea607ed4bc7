public import Foundation
internal import RecorderKit

/// The status of the access to a microphone.
public enum AVAuthorizationStatus: Int, Sendable {
  /// Nobody has decided yet.
  case notDetermined = 0
  /// A policy of the machine forbids it.
  case restricted = 1
  /// The user has refused.
  case denied = 2
  /// Listening is allowed.
  case authorized = 3
}

/// The permission to use a microphone; the devices themselves are in `RecorderKit.Microphone`.
open class AVCaptureDevice: NSObject {
  /// The status for this program. It asks nobody, writes nothing and opens nothing; video is denied, since nothing
  /// here captures it.
  open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
    guard mediaType == .audio else { return .denied }
    return AVAuthorizationStatus(Microphone.authorization())
  }

  /// Asks in the terminal if nothing is decided, and calls the handler once, never before this returns.
  @preconcurrency
  open class func requestAccess(
    for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
  ) {
    Task { handler(await requestAccess(for: mediaType)) }
  }

  /// Asks in the terminal if nothing is decided; a cancelled task withdraws the question, and nothing is decided.
  open class func requestAccess(for mediaType: AVMediaType) async -> Bool {
    guard mediaType == .audio else { return false }
    return await Microphone.requestAccess() == .authorized
  }
}

extension AVAuthorizationStatus {
  /// Apple's word for the library's status.
  init(_ authorization: Microphone.Authorization) {
    self =
      switch authorization {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .authorized: .authorized
      }
  }
}
