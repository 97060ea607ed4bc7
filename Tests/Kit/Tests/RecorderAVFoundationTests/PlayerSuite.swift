import Bench
import RecorderAVFoundation
import Testing

/// A suite with a listener for its players and a tape for its taped players.
@MainActor
protocol PlayerSuite {
  var scratch: Scratch { get }
  var tape: Tape { get }
  var listener: Listener { get }
}

extension PlayerSuite {
  /// Returns a player of the first frames of the fixture, on the default device.
  func player(frames: Int = Fixture.frames) throws -> AVAudioPlayer {
    let url = try Fixture.write(to: scratch, "short.wav", frames: frames)
    let player = try AVAudioPlayer(contentsOf: url)
    player.delegate = listener
    return player
  }

  /// Returns such a player on the tape.
  func taped(frames: Int = Fixture.frames) throws -> AVAudioPlayer {
    let player = try player(frames: frames)
    player.currentDevice = tape.device
    return player
  }
}

/// Plays a sound of that length on another device, while the test expects that nothing else
/// happens.
@MainActor
func playElsewhere(_ seconds: Double) async throws {
  let scratch = try Scratch()
  let url = try Fixture.write(to: scratch, frames: Int(seconds * 48_000))
  let player = try AVAudioPlayer(contentsOf: url)
  let listener = Listener()
  player.delegate = listener
  try #require(player.play())
  _ = try await listener.end()
}
