public import Foundation

/// The delegate of a recorder. Its methods are called on the main thread, in order. All of them are
/// optional.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
  /// Called when the recording has ended. The flag is true if this program or `recorder stop`
  /// stopped the recording, or if the recording reached its limit.
  @preconcurrency @MainActor
  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
  /// Called when the recording had to end, because the disk is full or failed, the file was
  /// removed, or access to the microphone was revoked or expired.
  @preconcurrency @MainActor
  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)
}

extension AVAudioRecorderDelegate {
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
  {}
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
}
