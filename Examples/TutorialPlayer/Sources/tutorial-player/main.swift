import RecorderAVFoundation

// The player of many tutorials for Apple's AVFoundation, with one import changed:
// tutorial-player FILE
// Lines on stdin act as its buttons: play, pause, stop, rewind, quit.

@MainActor
final class MusicPlayer: NSObject, AVAudioPlayerDelegate {
  var player: AVAudioPlayer?
  var hasFinished = false

  func prepare(_ path: String) {
    do {
      player = try AVAudioPlayer(contentsOf: URL(fileURLWithPath: path))
      player?.delegate = self
      player?.prepareToPlay()
    } catch {
      print(error.localizedDescription)
    }
  }

  func play() { player?.play() }

  func pause() {
    if player?.isPlaying == true { player?.pause() }
  }

  func stop() {
    player?.stop()
    player?.currentTime = 0
  }

  func rewind() {
    player?.currentTime = 0
    if player?.isPlaying == true { player?.play() }
  }

  func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
    print("finished", flag)
    hasFinished = true
  }

  /// Performs the action of a button. Returns false if the program should end.
  func press(_ button: String) -> Bool {
    switch button {
    case "play": play()
    case "pause": pause()
    case "stop": stop()
    case "rewind": rewind()
    case "quit": return false
    default: break
    }
    print(button, player?.isPlaying ?? false, String(format: "%.1f", player?.currentTime ?? 0))
    return true
  }
}

let music = MusicPlayer()
music.prepare(CommandLine.arguments.dropFirst().first ?? "music.wav")

// Reading blocks, and the delegate is called on the main thread, so another thread reads.
Thread.detachNewThread {
  while let line = readLine() {
    DispatchQueue.main.async {
      MainActor.assumeIsolated { if !music.press(line) { exit(0) } }
    }
  }
}
RunLoop.main.run()
