public import Foundation

/// The program with its permission to record.
open class AVAudioApplication: NSObject, @unchecked Sendable {
  // Unchecked: it holds nothing.

  /// The permission to record; the numbers are four letters each.
  public enum RecordPermission: Int, Sendable {
    /// Nobody has decided yet; `undt`.
    case undetermined = 1_970_168_948
    /// The user or a policy of the machine forbids it; `deny`.
    case denied = 1_684_369_017
    /// Recording is allowed; `grnt`.
    case granted = 1_735_552_628
  }

  /// The only one.
  public static let shared = AVAudioApplication()

  /// The permission of this program; it asks nobody.
  open var recordPermission: RecordPermission {
    RecordPermission(AVCaptureDevice.authorizationStatus(for: .audio))
  }

  /// Asks in the terminal if nothing is decided, and calls the handler once, never before this returns.
  @preconcurrency
  open class func requestRecordPermission(
    completionHandler response: @escaping @Sendable (Bool) -> Void
  ) {
    AVCaptureDevice.requestAccess(for: .audio, completionHandler: response)
  }

  /// Asks in the terminal if nothing is decided; a cancelled task withdraws the question.
  open class func requestRecordPermission() async -> Bool {
    await AVCaptureDevice.requestAccess(for: .audio)
  }
}

extension AVAudioApplication.RecordPermission {
  /// The permission by the status of the device, of which it does not tell a policy from a refusal.
  init(_ status: AVAuthorizationStatus) {
    self =
      switch status {
      case .notDetermined: .undetermined
      case .restricted, .denied: .denied
      case .authorized: .granted
      }
  }
}
