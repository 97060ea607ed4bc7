import RecorderAVFoundation

extension Listener: AVAudioPlayerDelegate {
  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    add(.finished(flag))
  }

  func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
    add(.error(error.map { "\($0)" } ?? ""))
  }
}
