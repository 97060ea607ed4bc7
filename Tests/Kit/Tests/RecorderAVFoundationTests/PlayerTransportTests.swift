import Bench
import RecorderAVFoundation
import Testing

/// Rows 13 to 34 of the conformance table: playing, pausing, stopping, looping and positions.
@Suite("AVAudioPlayer: transport")
@MainActor
struct PlayerTransportTests: PlayerSuite {
  let scratch: Scratch
  let tone: URL
  let tape: Tape
  let listener = Listener()

  init() throws {
    scratch = try Scratch()
    tone = try Fixture.write(to: scratch)
    tape = Tape(scratch)
  }

  @Test("Row 13: play during playback continues the same voice")
  func playTwice() async throws {
    let player = try taped()
    player.numberOfLoops = -1
    #expect(player.play())
    try await eventually { tape.frames > 9_600 }
    #expect(player.play())
    player.numberOfLoops = 0
    #expect(try await listener.end())
    player.stop()
    expectWholeRounds(of: Fixture.samples)
  }

  @Test("Row 14: isPlaying is true right after play")
  func isPlaying() throws {
    let player = try player()
    player.play()
    #expect(player.isPlaying)
    player.stop()
    #expect(!player.isPlaying)
  }

  @Test("Row 15: a pause keeps the position, and play continues at the next frame")
  func pause() async throws {
    let player = try taped()
    player.numberOfLoops = -1
    player.play()
    try await eventually { player.currentTime > 0.1 }
    player.pause()
    #expect(!player.isPlaying)
    let position = player.currentTime
    #expect(position > 0)
    try await playElsewhere(0.1)
    #expect(player.currentTime == position)
    player.play()
    // The last frames are compared below, so the pause must not be among them.
    try await tape.advance(by: 24_000)
    player.numberOfLoops = 0
    #expect(try await listener.end())
    player.stop()
    // A pause fades out and in for some milliseconds. No frame in between is missing or played
    // twice.
    let heard = tape.channel(0).filter { $0 != 0 }
    let more = (heard.count + 1_000) % Fixture.frames - 1_000
    #expect(more <= 1_000 && heard.count > Fixture.frames - 1_000, "\(more)")
    #expect(Array(heard.prefix(4_000)) == Array(Fixture.samples.prefix(4_000)))
    #expect(Array(heard.suffix(4_000)) == Array(Fixture.samples.suffix(4_000)))
  }

  @Test("Row 16: a pause before any play does nothing")
  func pauseFirst() throws {
    let player = try player()
    player.pause()
    #expect(!player.isPlaying)
    #expect(player.currentTime == 0)
  }

  @Test("Row 17: a stop keeps the position, and play resumes there")
  func stopKeeps() async throws {
    let player = try taped(frames: 20 * Fixture.frames)
    player.play()
    try await eventually { player.currentTime > 0.3 }
    player.stop()
    let place = player.currentTime
    #expect(place > 0.3 && place < 15)
    #expect(!player.isPlaying)
    let begin = player.deviceCurrentTime
    player.play()
    let advance = player.currentTime - place
    #expect(advance > -0.06 && advance < player.deviceCurrentTime - begin + 0.06)
    player.currentTime = 19.8
    #expect(try await listener.end())
    player.stop()
  }

  @Test("Row 18: a stop closes the device before it returns")
  func stopCloses() throws {
    let player = try taped()
    player.play()
    #expect(try isOpen(scratch.path("tape.raw")))
    player.stop()
    #expect(try !isOpen(scratch.path("tape.raw")))
  }

  @Test("Row 19: a stop before any play is harmless, and play then begins at frame 0")
  func stopFirst() async throws {
    let player = try taped()
    player.stop()
    #expect((player.isPlaying) == false)
    player.numberOfLoops = -1
    player.play()
    try await eventually { tape.frames > 9_600 }
    player.stop()
    player.numberOfLoops = 0
    player.currentTime = 0
    #expect(player.currentTime == 0)
    // The tape starts over when the device is opened again.
    player.play()
    #expect(try await listener.end())
    player.stop()
    #expect(tape.channel(0) == Fixture.samples)
  }

  @Test("Row 20: a stop or a pause is not reported as an end")
  func noEnd() async throws {
    let player = try player()
    player.play()
    player.pause()
    player.play()
    player.stop()
    #expect(await listener.settled().isEmpty)
  }

  @Test("Row 21: the end is reported once, on the main thread")
  func end() async throws {
    let player = try player(frames: 9_600)
    player.play()
    #expect(try await listener.end())
    #expect(await listener.settled() == [.finished(true)])
    #expect(listener.isAlwaysMain)
    player.stop()
    #expect(await listener.settled() == [.finished(true)])
  }

  @Test("Row 22: after the end, the player is stopped and at the beginning")
  func atEnd() async throws {
    let player = try player(frames: 9_600)
    var facts: (Bool, TimeInterval)?
    listener.whenTold = { _ in facts = (player.isPlaying, player.currentTime) }
    player.play()
    _ = try await listener.end()
    #expect(facts?.0 == false)
    #expect(facts?.1 == 0)
  }

  @Test("Row 23: play after the end begins at frame 0")
  func again() async throws {
    let player = try taped()
    player.play()
    _ = try await listener.end()
    player.play()
    _ = try await listener.end()
    player.stop()
    let heard = tape.channel(0)
    #expect(Array(heard.prefix(Fixture.frames)) == Fixture.samples)
    #expect(Array(heard.suffix(Fixture.frames)) == Fixture.samples)
    #expect(heard.count >= 2 * Fixture.frames)
  }

  @Test("Row 24: play works inside the delegate call about the end")
  func playWithin() async throws {
    let player = try player(frames: 4_800)
    var count = 0
    listener.whenTold = { _ in
      count += 1
      if count == 1 { #expect(player.play()) }
    }
    player.play()
    _ = try await listener.end()
    _ = try await listener.end()
    #expect(count == 2)
  }

  @Test("Row 25: a released delegate is not called")
  func delegateGone() async throws {
    let player = try player(frames: 4_800)
    weak var gone: Listener?
    do {
      let brief = Listener()
      gone = brief
      player.delegate = brief
    }
    #expect(gone == nil)
    #expect(player.delegate == nil)
    player.play()
    try await eventually { !player.isPlaying }
  }

  @Test("Row 26: a delegate may implement none of the methods")
  func empty() async throws {
    final class Empty: NSObject, AVAudioPlayerDelegate {}
    let player = try player(frames: 4_800)
    let empty = Empty()
    player.delegate = empty
    player.play()
    try await eventually { !player.isPlaying }
    withExtendedLifetime(empty) {}
  }

  @Test("Row 27: loops follow each other without a gap", arguments: [0, 1, 2])
  func loops(count: Int) async throws {
    let player = try taped()
    player.numberOfLoops = count
    player.play()
    _ = try await listener.end()
    player.stop()
    #expect(tape.channel(0) == Array((0...count).map { _ in Fixture.samples }.joined()))
  }

  @Test("Row 28: −1 loops until a stop")
  func endless() async throws {
    let player = try player(frames: 9_600)
    player.numberOfLoops = -1
    #expect(player.numberOfLoops == -1)
    player.play()
    var (last, rounds) = (0.0, 0)
    try await eventually {
      let position = player.currentTime
      if position < last { rounds += 1 }
      last = position
      return rounds == 3
    }
    #expect(player.isPlaying)
    player.stop()
    #expect(!player.isPlaying)
    #expect(await listener.settled().isEmpty)
  }

  @Test("Row 29: 0 during a loop ends it after the current round")
  func lastRound() async throws {
    let player = try taped(frames: 24_000)
    player.numberOfLoops = -1
    player.play()
    try await tape.advance(by: 33_600)
    player.numberOfLoops = 0
    _ = try await listener.end()
    player.stop()
    expectWholeRounds(of: Fixture.samples.prefix(24_000))
    #expect(tape.frames >= 48_000)
  }

  /// Expects complete rounds on the tape, one directly after the other.
  private func expectWholeRounds(of samples: some Collection<Float>) {
    let heard = tape.channel(0)
    #expect(!heard.isEmpty && heard.count.isMultiple(of: samples.count))
    let rounds = (0..<heard.count / samples.count).map { _ in samples }
    #expect(heard.elementsEqual(rounds.joined()))
  }

  @Test("Row 30: a looping sound reports one end")
  func oneEnd() async throws {
    let player = try player(frames: 4_800)
    player.numberOfLoops = 3
    player.play()
    _ = try await listener.end()
    #expect(await listener.settled() == [.finished(true)])
  }

  @Test(
    "Row 31: a position that is set is where the next play begins", arguments: [0.25, 0.5, 0.1])
  func seekStopped(time: TimeInterval) async throws {
    let player = try taped()
    player.currentTime = time
    #expect(abs(player.currentTime - time) < 0.000_1)
    player.play()
    _ = try await listener.end()
    player.stop()
    let heard = tape.channel(0)
    let wanted = Fixture.frames - Int(time * 48_000)
    // Playback begins with a fade of a few milliseconds, and the first sample of the fade is
    // silent.
    #expect((wanted - 1...wanted).contains(heard.count))
    #expect(Array(heard.suffix(wanted - 1_000)) == Array(Fixture.samples.suffix(wanted - 1_000)))
  }

  @Test("A position can be set in a file that does not state its length")
  func seekUnstated() async throws {
    let url = try Fixture.write(to: scratch, "pipe.flac")
    var bytes = try Data(contentsOf: url)
    // An encoder that writes into a pipe leaves these 36 bits at zero: the number of frames.
    bytes[21] &= 0xF0
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    try bytes.write(to: url)
    let player = try AVAudioPlayer(contentsOf: url)
    player.delegate = listener
    player.currentDevice = tape.device
    try #require(player.duration == 0)
    player.currentTime = 0.5
    #expect(abs(player.currentTime - 0.5) < 0.000_1)
    player.play()
    _ = try await listener.end()
    player.stop()
    let heard = tape.channel(0)
    #expect((Fixture.frames / 2 - 1...Fixture.frames / 2).contains(heard.count))
    #expect(Array(heard.suffix(20_000)) == Array(Fixture.samples.suffix(20_000)))
  }

  @Test("Row 32: setting the position during playback seeks")
  func seekPlaying() async throws {
    let player = try player(frames: 20 * Fixture.frames)
    player.play()
    let begin = ContinuousClock.now
    player.currentTime = 19.8
    #expect(player.isPlaying)
    #expect(player.currentTime >= 19.8)
    _ = try await listener.end()
    #expect(ContinuousClock.now - begin < .seconds(15))
  }

  @Test("Row 33: positions before the beginning or past the end are limited")
  func limits() throws {
    let player = try player()
    player.currentTime = -5
    #expect(player.currentTime == 0)
    player.currentTime = 7
    #expect(player.currentTime == player.duration)
    player.currentTime = .nan
    #expect(player.currentTime == 0)
  }

  @Test("Row 34: the position advances with the clock and never goes back")
  func advances() async throws {
    let player = try player(frames: 20 * Fixture.frames)
    player.play()
    var (last, begins) = (0.0, [Double]())
    let wait = ProcessorWait()
    let end = player.deviceCurrentTime + 0.6
    try await eventually {
      let (before, place) = (player.deviceCurrentTime, player.currentTime)
      let after = player.deviceCurrentTime
      #expect(place >= last)
      last = place
      // A reading during a stall of the machine is useless.
      if after - before < 0.005 { begins.append(after - place) }
      return after > end && begins.count >= 40
    }
    // Each reading gives the time at which the sound began. These times must agree, except for a
    // quarter of them that may be late.
    begins.sort()
    let difference = begins[begins.count * 3 / 4] - begins[0]
    #expect(difference < 0.06 + wait.longest / .seconds(1), "\(begins)")
    player.stop()
  }

  @Test(
    "A time that no clock has neither stops the program nor a player that plays",
    arguments: [
      1e30, .greatestFiniteMagnitude, .infinity, -.infinity, -1e30, .nan, .leastNonzeroMagnitude,
    ])
  func impossibleTimes(time: Double) throws {
    let player = try player()
    #expect(player.play())
    player.setVolume(0.5, fadeDuration: time)
    #expect(player.isPlaying)
    player.stop()
    player.currentTime = time
    #expect(player.currentTime >= 0 && player.currentTime <= player.duration)
    #expect(player.play(atTime: time) == (time.isFinite && time > player.deviceCurrentTime))
    player.stop()
    #expect(!player.isPlaying)
  }

  /// Returns whether this process has the file open.
  private func isOpen(_ path: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
  }
}
