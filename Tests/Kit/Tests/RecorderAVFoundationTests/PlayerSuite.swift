import Bench
import RecorderAVFoundation

/// A suite whose players have its listener, and those that are taped its device.
@MainActor
protocol PlayerSuite {
  var scratch: Scratch { get }
  var tape: Tape { get }
  var listener: Listener { get }
}

extension PlayerSuite {
  /// A player of the first frames of the fixture, on the usual device.
  func player(frames: Int = Fixture.frames) throws -> AVAudioPlayer {
    let url = try Fixture.write(to: scratch, "short.wav", frames: frames)
    let player = try AVAudioPlayer(contentsOf: url)
    player.delegate = listener
    return player
  }

  /// The same on a device that keeps what it plays.
  func taped(frames: Int = Fixture.frames) throws -> AVAudioPlayer {
    let player = try player(frames: frames)
    player.currentDevice = tape.device
    return player
  }
}
