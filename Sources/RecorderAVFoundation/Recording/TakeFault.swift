internal import RecorderKit

extension Take.Result {
  /// Returns the error if the permission or the disk ended the recording. Returns nil for other
  /// reasons, including a lost device.
  func fault(at path: String) -> RecorderError? {
    switch reason {
    case .permission, .expired: .notAuthorized(.denied)
    case .disk: .file(path, message ?? "the disk is full")
    case .stopped, .duration, .size, .device, .discarded: nil
    }
  }
}
