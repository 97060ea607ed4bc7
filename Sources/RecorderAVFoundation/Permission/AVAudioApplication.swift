public import Foundation

/// The calling program and its permission to record.
open class AVAudioApplication: NSObject, @unchecked Sendable {
  // Unchecked: the class has no state.

  /// The permission to record. The raw values are four-character codes.
  public enum RecordPermission: Int, Sendable {
    /// No decision yet; `undt`.
    case undetermined = 1_970_168_948
    /// The user or a policy of this machine forbids recording; `deny`.
    case denied = 1_684_369_017
    /// Recording is allowed; `grnt`.
    case granted = 1_735_552_628
  }

  /// The only instance.
  public static let shared = AVAudioApplication()

  /// The current permission of this program. Reading it never asks the user.
  open var recordPermission: RecordPermission {
    AVAuthorizationStatus.current(.undetermined, .denied, .granted)
  }

  /// Asks in the terminal if nothing is decided yet, and calls the handler once, asynchronously.
  @preconcurrency
  open class func requestRecordPermission(
    completionHandler response: @escaping @Sendable (Bool) -> Void
  ) {
    AVCaptureDevice.requestAccess(for: .audio, completionHandler: response)
  }

  /// Asks in the terminal if nothing is decided yet, and returns whether recording is allowed.
  /// Cancelling the task withdraws the question.
  open class func requestRecordPermission() async -> Bool {
    await AVCaptureDevice.requestAccess(for: .audio)
  }
}
