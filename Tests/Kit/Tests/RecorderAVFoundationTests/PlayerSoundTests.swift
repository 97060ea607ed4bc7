import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Rows 35 to 51 of the conformance table: volume, pan, meters, simultaneous starts, faults.
@Suite("AVAudioPlayer: sound")
@MainActor
struct PlayerSoundTests: PlayerSuite {
  let scratch: Scratch
  let tape: Tape
  let listener = Listener()

  init() throws {
    scratch = try Scratch()
    tape = Tape(scratch)
  }

  @Test("Row 35: half the volume halves each sample, and a change does not click")
  func volume() async throws {
    let player = try taped()
    player.volume = 0.5
    player.play()
    _ = try await listener.end()
    player.stop()
    #expect(tape.channel(0) == Fixture.samples.map { $0 * 0.5 })

    let other = Tape(scratch, "change.raw")
    player.currentDevice = other.device
    player.volume = 1
    player.numberOfLoops = -1
    player.play()
    try await eventually { player.currentTime > 0.3 }
    player.volume = 0.25
    try await other.advance(by: 9_600)
    player.numberOfLoops = 0
    _ = try await listener.end()
    player.stop()
    let heard = other.channel(0)
    // The first sample does not continue the last one, so each new round begins with a step.
    let steps = heard.indices.dropFirst().filter { !$0.isMultiple(of: Fixture.frames) }.map {
      abs(heard[$0] - heard[$0 - 1])
    }
    let usual = zip(Fixture.samples, Fixture.samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
    let highest = try #require(steps.max())
    #expect(highest <= usual * 1.1)
    #expect(heard.last == Fixture.samples.last.map { $0 * 0.25 })
  }

  @Test("Row 36: a volume above 1 amplifies, limited to full scale")
  func loud() async throws {
    let player = try taped()
    player.volume = 4
    player.play()
    _ = try await listener.end()
    player.stop()
    let heard = tape.channel(0)
    #expect(heard.count == Fixture.frames)
    for (sample, original) in zip(heard, Fixture.samples) {
      let wanted = max(-1, min(1, original * 4))
      #expect(abs(sample - wanted) < 0.000_1)
      if abs(sample - wanted) >= 0.000_1 { break }
    }
  }

  @Test("Row 37: a fade reaches its target in its duration")
  func fade() async throws {
    let player = try taped()
    player.numberOfLoops = -1
    player.play()
    try await eventually { player.currentTime > 0.2 }
    player.setVolume(0.1, fadeDuration: 0.2)
    #expect(player.volume == 0.1)
    try await tape.advance(by: 19_200)
    player.numberOfLoops = 0
    _ = try await listener.end()
    player.stop()
    // The factor of each sample shows the beginning and the end of the fade.
    let factors = tape.channel(0).enumerated().map { index, sample in
      sample / Fixture.samples[index % Fixture.frames]
    }
    let begin = try #require(factors.firstIndex { $0 < 0.995 })
    let end = try #require(factors.firstIndex { $0 < 0.1005 })
    #expect(abs(Double(end - begin) / 48_000 - 0.2) < 0.02)
    #expect(factors.last.map { abs($0 - 0.1) < 0.001 } == true)
  }

  @Test("Row 38: a pan to one side silences the other", arguments: [Float(-1), 1, 0])
  func pan(place: Float) async throws {
    let player = try taped(frames: 9_600)
    player.pan = place
    player.play()
    _ = try await listener.end()
    player.stop()
    let wanted = Array(Fixture.samples.prefix(9_600))
    #expect(tape.channel(0) == (place == 1 ? [] : wanted))
    #expect(tape.channel(1) == (place == -1 ? [] : wanted))
  }

  @Test("Row 40: the device clock advances")
  func clock() async throws {
    let player = try taped()
    var last = player.deviceCurrentTime
    for _ in 0..<1_000 {
      let now = player.deviceCurrentTime
      #expect(now >= last)
      last = now
    }
    try await eventually { player.deviceCurrentTime > last }
  }

  @Test("Row 41: a timed start begins within a period of its time")
  func startAtTime() async throws {
    let player = try player(frames: 20 * Fixture.frames)
    let wait = ProcessorWait()
    let moment = player.deviceCurrentTime + 1.5
    #expect(player.play(atTime: moment))
    #expect(player.isPlaying)
    #expect(player.currentTime == 0)
    try await eventually { player.currentTime > 0.1 }
    // The position may be reported late but never early, so the earliest beginning is the most
    // accurate.
    var (begin, looks) = (Double.infinity, 0)
    try await eventually {
      let position = player.currentTime
      begin = min(begin, player.deviceCurrentTime - position)
      looks += 1
      return position > 0.7 && looks > 100
    }
    let late = begin - moment
    #expect(late > -0.02 && late < 0.02 + wait.longest / .seconds(1), "\(late)")
    player.stop()
  }

  @Test("Row 41: two timed starts are as far apart as their times, within a period")
  func startsApart() async throws {
    let (one, two) = try voices()
    let wait = ProcessorWait()
    let moment = one.deviceCurrentTime + 1.5
    #expect(one.play(atTime: moment))
    #expect(two.play(atTime: moment + 0.2))
    _ = try await listener.end()
    try await eventually { !one.isPlaying && !two.isPlaying }
    one.stop()
    two.stop()
    let (left, right) = (tape.all(0), tape.all(1))
    let begins = try (
      #require(left.firstIndex { $0 != 0 }), #require(right.firstIndex { $0 != 0 })
    )
    // A machine that is late for the first start brings the two starts closer together.
    let late = Int(wait.longest / .seconds(1) * 48_000)
    #expect((-960 - late...960 + late).contains(begins.1 - begins.0 - 9_600), "\(begins)")
  }

  @Test("Row 42: a time that has passed is refused")
  func past() throws {
    let player = try player()
    #expect(!player.play(atTime: player.deviceCurrentTime - 0.01))
    #expect(!player.play(atTime: .nan))
    #expect(!player.isPlaying)
  }

  @Test("Row 43: two players with the same start time begin at the same frame")
  func together() async throws {
    let (one, two) = try voices()
    let moment = one.deviceCurrentTime + 1.5
    #expect(one.play(atTime: moment))
    #expect(two.play(atTime: moment))
    _ = try await listener.end()
    try await eventually { !one.isPlaying && !two.isPlaying }
    one.stop()
    two.stop()
    #expect(tape.channel(0) == Fixture.samples)
    #expect(tape.channel(1) == Fixture.samples)
    #expect(tape.all(0).firstIndex { $0 != 0 } == tape.all(1).firstIndex { $0 != 0 })
  }

  @Test("Row 44: without metering, the power is −160")
  func unmetered() async throws {
    let player = try player()
    player.numberOfLoops = -1
    player.play()
    try await eventually { player.currentTime > 0.1 }
    player.updateMeters()
    #expect(player.peakPower(forChannel: 0) == -160)
    #expect(player.averagePower(forChannel: 0) == -160)
    #expect(player.averagePower(forChannel: 99) == -160)
    player.stop()
  }

  @Test("Row 45: only updateMeters changes the meters")
  func metered() async throws {
    let player = try player()
    player.isMeteringEnabled = true
    player.numberOfLoops = -1
    player.play()
    try await eventually { player.currentTime > 0.2 }
    #expect(player.peakPower(forChannel: 0) == -160)
    try await eventually {
      player.updateMeters()
      return player.peakPower(forChannel: 0) > -10
    }
    let peak = player.peakPower(forChannel: 0)
    player.stop()
    #expect(player.peakPower(forChannel: 0) == peak)
    player.isMeteringEnabled = false
    #expect(player.peakPower(forChannel: 0) == -160)
  }

  @Test("Row 46: a full-scale sine has peak 0 dB and mean −3 dB; a silent channel has −160 dB")
  func calibrated() async throws {
    let sine = (0..<48_000).flatMap { [Float(sin(Double($0) * 2 * .pi / 96)), 0] }
    let file = try AudioFileWriter(
      creating: scratch.path("full.wav"),
      format: AudioFormat(sampleRate: 48_000, channelCount: 2, sampleFormat: .float32))
    try file.write(sine)
    try file.close()
    let player = try AVAudioPlayer(contentsOf: scratch.file("full.wav"))
    player.isMeteringEnabled = true
    player.numberOfLoops = -1
    player.play()
    try await eventually { player.currentTime > 0.2 }
    player.updateMeters()
    #expect(abs(player.peakPower(forChannel: 0)) < 0.1)
    #expect(abs(player.averagePower(forChannel: 0) + 3.01) < 0.2)
    #expect(player.peakPower(forChannel: 1) == -160)
    #expect(player.averagePower(forChannel: 1) == -160)
    player.stop()
  }

  @Test("Row 47: two players mix, each at its own volume")
  func mixing() async throws {
    let one = try taped()
    let other = try Tones.write(scratch.file("other.wav"), frames: Fixture.frames, sample: .float32)
    let two = try AVAudioPlayer(contentsOf: scratch.file("other.wav"))
    two.currentDevice = tape.device
    (one.volume, two.volume) = (0.5, 0.25)
    (one.numberOfLoops, two.numberOfLoops) = (-1, -1)
    let moment = one.deviceCurrentTime + 1.5
    #expect(one.play(atTime: moment) && two.play(atTime: moment))
    try await eventually { one.currentTime > 0.3 }
    two.volume = 0.75
    #expect(one.volume == 0.5)
    // Twice the number of frames that the device buffers.
    try await tape.advance(by: 9_600)
    let changed = tape.channel(0).count
    try await tape.advance(by: 9_600)
    one.stop()
    two.stop()
    let heard = tape.channel(0)
    // The first 0.2 s are before the change.
    for (part, volume) in [(0..<9_600, Float(0.25)), (changed..<(changed + 4_800), 0.75)] {
      let farthest = part.map { frame in
        let place = frame % Fixture.frames
        return abs(heard[frame] - Fixture.samples[place] * 0.5 - other[place] * volume)
      }
      #expect(try #require(farthest.max()) < 0.000_1)
    }
  }

  /// Returns two players on one tape: the first on the left, the second on the right. Only the
  /// second has the listener.
  private func voices() throws -> (AVAudioPlayer, AVAudioPlayer) {
    let (one, two) = (try taped(), try taped())
    one.delegate = nil
    (one.pan, two.pan) = (-1, 1)
    return (one, two)
  }

  @Test("Row 48: a damaged sound reports an error, then its end")
  func broken() async throws {
    try Tones.write(scratch.file("whole.flac"), frames: 96_000)
    var bytes = [UInt8](try Data(contentsOf: scratch.file("whole.flac")))
    // The end of the file is intact, because a file that only ends early plays up to that point.
    for index in bytes.count / 2..<bytes.count * 3 / 4 {
      bytes[index] = UInt8(truncatingIfNeeded: index)
    }
    try Data(bytes).write(to: scratch.file("broken.flac"))
    let player = try AVAudioPlayer(contentsOf: scratch.file("broken.flac"))
    player.delegate = listener
    try #require(player.play())
    #expect(try await listener.end() == false)
    let told = await listener.settled()
    #expect(told.count == 2)
    #expect(told.last == .finished(false))
    guard case .error = told.first else {
      Issue.record("\(told)")
      return
    }
    #expect(listener.isAlwaysMain)
    #expect(!player.isPlaying)
  }

  @Test("Row 50: a released player is silent immediately and reports nothing")
  func released() async throws {
    var player: AVAudioPlayer? = try taped()
    player?.numberOfLoops = -1
    player?.play()
    try await eventually { tape.frames > 9_600 }
    let wait = ProcessorWait()
    player = nil
    let frames = tape.channel(0).count
    try await playElsewhere(0.5)
    // The tape still gets the frames that the device buffers: three periods of 21 ms.
    let more = Double(tape.channel(0).count - frames) / 48_000
    #expect(more < 0.1 + wait.longest / .seconds(1), "\(more)")
    #expect(await listener.settled().isEmpty)
  }

  @Test("Row 51: all methods can be called from any thread")
  func threads() async throws {
    let player = try player()
    player.isMeteringEnabled = true
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          var random = SystemRandomNumberGenerator()
          for _ in 0..<40 {
            switch (Int.random(in: 0..<9, using: &random), number) {
            case (0, _): player.play()
            case (1, _): player.pause()
            case (2, _): player.stop()
            case (3, _): player.currentTime = .random(in: 0..<1)
            case (4, _): player.volume = .random(in: 0..<1)
            case (5, _): player.updateMeters()
            case (6, _): player.numberOfLoops = .random(in: -1..<3)
            case (7, _): player.setVolume(0.5, fadeDuration: 0.01)
            default: #expect(player.currentTime >= 0 && player.duration == 1)
            }
          }
        }
      }
    }
    player.stop()
    #expect(!player.isPlaying)
  }
}
