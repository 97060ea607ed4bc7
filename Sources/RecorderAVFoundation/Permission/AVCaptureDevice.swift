public import Foundation
internal import RecorderKit

/// The status of access to a microphone.
public enum AVAuthorizationStatus: Int, Sendable {
  /// No decision yet.
  case notDetermined = 0
  /// A policy of this machine forbids access.
  case restricted = 1
  /// The user or an environment variable refused access, or the decision cannot be read safely.
  case denied = 2
  /// Access is allowed.
  case authorized = 3
}

/// The permission to use a microphone. `RecorderKit.Device.microphones` lists the devices.
open class AVCaptureDevice: NSObject {
  /// Returns the status for this program, without asking the user, writing anything or opening a
  /// capture device. Video is always denied, because this library does not capture it.
  open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
    guard mediaType == .audio else { return .denied }
    return AVAuthorizationStatus(rawValue: Microphone.authorization().rawValue) ?? .denied
  }

  /// Asks in the terminal if nothing is decided yet, and calls the handler once, asynchronously.
  @preconcurrency
  open class func requestAccess(
    for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
  ) {
    Task { handler(await requestAccess(for: mediaType)) }
  }

  /// Asks in the terminal if nothing is decided yet, and returns whether access is allowed.
  /// Cancelling the task withdraws the question, and nothing is decided.
  open class func requestAccess(for mediaType: AVMediaType) async -> Bool {
    guard mediaType == .audio else { return false }
    return await Microphone.requestAccess() == .authorized
  }
}

extension AVAuthorizationStatus {
  /// Returns the permission of this program as a value of another type. Policy refusals map to
  /// `denied`.
  static func current<Permission>(
    _ undetermined: Permission, _ denied: Permission, _ granted: Permission
  ) -> Permission {
    switch AVCaptureDevice.authorizationStatus(for: .audio) {
    case .notDetermined: undetermined
    case .restricted, .denied: denied
    case .authorized: granted
    }
  }
}
