public import Foundation

/// The delegate of a player. Its methods are called on the main thread, in order. All of them are
/// optional.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
  /// Called when the sound has finished, or playback has failed. Not called after a stop or a
  /// pause.
  @preconcurrency @MainActor
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
  /// Called when the sound is damaged, or the device was lost and did not come back.
  @preconcurrency @MainActor
  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
}

extension AVAudioPlayerDelegate {
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
  /// Does nothing.
  @preconcurrency @MainActor
  public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
}
