import Audio
import Devices
import Linux
import Playback
import Support
import Synchronization
import Testing

@Suite("An output", .timeLimit(.minutes(10)))
struct OutputTests {
  /// Waits until a condition is true, and checks it whenever a voice changed.
  private func watch(_ output: Output, _ condition: () -> Bool) throws {
    let deadline = KernelClock.monotonic.now + .seconds(20)
    while !condition() {
      #expect(KernelClock.monotonic.now < deadline)
      if KernelClock.monotonic.now > deadline { return }
      _ = try output.changed.wait(upTo: .milliseconds(20))
      output.clearChanged()
    }
  }

  /// Waits until the voices have ended, then ends the output.
  private func finish(_ output: Output, after voices: [VoiceID]) throws {
    try watch(output) { voices.allSatisfy { output.report(of: $0)?.state == .ended } }
    output.stop()
    try watch(output) { output.end != nil }
    #expect(output.end == .finished)
  }

  private func trimmed(_ heard: [Float]) -> [Float] {
    var heard = heard[...]
    while heard.last == 0 { heard.removeLast() }
    return Array(heard)
  }

  @Test(
    "Sounds shorter or longer than the device's buffer play to their last frame",
    arguments: [1, 5, 63, 64, 65, 1_000])
  func drain(length: Int) throws {
    let room = Speaker.Room()
    let output = try Output(on: Speaker(room), reopen: { nil })
    let voice = try output.play(Ramp.sound(length))
    try finish(output, after: [voice])
    #expect(trimmed(room.heard) == (0..<length).map(Ramp.value))
    #expect(output.report(of: voice)?.state == .ended)
    #expect(output.report(of: voice)?.started != nil)
    #expect(room.tape.withLock { $0.starts } == 1)
  }

  @Test(
    "A play ends with the last frame of the device, and reports the audible position")
  func heard() throws {
    let room = Speaker.Room()
    let output = try Output(on: Speaker(room), reopen: { nil })
    let voice = try output.play(Ramp.sound(1_000))
    var places: [(told: FrameCount, heard: Int)] = []
    try watch(output) {
      guard let report = output.report(of: voice) else { return false }
      // The played frames are counted after the report. Meanwhile their number can only grow.
      places.append((report.position, room.heard.count))
      return report.state == .ended
    }
    #expect(places.allSatisfy { $0.told <= FrameCount($0.heard) }, "\(places)")
    #expect(places.last?.heard ?? 0 >= 1_000)
  }

  @Test("A device that sleeps is started again for the next sound")
  func sleep() throws {
    let room = Speaker.Room()
    let output = try Output(on: Speaker(room), reopen: { nil })
    for round in 1...3 {
      _ = try output.play(Ramp.sound(10))
      try watch(output) { room.tape.withLock { $0.stops } == round }
    }
    output.stop()
    try watch(output) { output.end != nil }
    #expect(room.tape.withLock { $0.starts } == 3)
    #expect(room.heard.filter { $0 != 0 } == (0..<30).map { Ramp.value($0 % 10) })
    #expect(throws: OutputError.ended) { _ = try output.play(Ramp.sound(10)) }
  }

  @Test("After an underrun playback continues, and no frame is played twice")
  func underrun() throws {
    let room = Speaker.Room()
    var speaker = Speaker(room)
    speaker.limit = 200
    speaker.fault = .init(condition: .xrun)
    let output = try Output(on: speaker, reopen: { nil })
    let voice = try output.play(Ramp.sound(900))
    try finish(output, after: [voice])
    #expect(trimmed(room.heard) == (0..<900).map(Ramp.value))
  }

  @Test("After the device comes back, the voices continue at their positions")
  func reopening() throws {
    let room = Speaker.Room()
    var speaker = Speaker(room)
    speaker.limit = 200
    let attempts = Atomic(0)
    let output = try Output(on: speaker) {
      attempts.add(1, ordering: .relaxed).newValue < 3 ? nil : Speaker(room)
    }
    let voice = try output.play(Ramp.sound(1_000))
    try finish(output, after: [voice])
    #expect(attempts.load(ordering: .relaxed) == 3)
    #expect(output.report(of: voice)?.state == .ended)
    let heard = trimmed(room.heard)
    // The frames that were in the device's buffer are played by the next device, beginning with a
    // fade.
    #expect(heard.count == 1_000)
    expectSame(
      heard,
      (0..<1_000).map { Ramp.value($0) * ((204..<209).contains($0) ? Float($0 - 203) / 5 : 1) })
  }

  @Test("Once an output reports its end, its device is closed")
  func closed() throws {
    let room = Speaker.Room()
    for _ in 0..<50 {
      let before = room.tape.withLock { $0.closings }
      let output = try Output(on: Speaker(room), reopen: { nil })
      _ = try output.play(Ramp.sound(1_000))
      output.stop()
      try watch(output) { output.end != nil }
      #expect(room.tape.withLock { $0.closings } == before + 1)
    }
  }

  @Test("A stopped voice is silent once its last frame has been played, and reports this")
  func silence() throws {
    let room = Speaker.Room()
    let output = try Output(on: Speaker(room), reopen: { nil })
    let voice = try output.play(Ramp.sound(1_000))
    try watch(output) { output.report(of: voice)?.position ?? 0 > 100 }
    try output.send(.stop, to: voice)
    try watch(output) { output.report(of: voice)?.isSilent == true }
    let heard = room.heard
    let report = try #require(output.report(of: voice))
    // All frames up to its position have been played, and at most 5 more, which fade.
    #expect(heard.count >= report.position.value)
    #expect(trimmed(heard).count <= report.position.value + 5)
  }

  @Test("A released sound is freed once it is silent, although no other sound is added")
  func freed() throws {
    let output = try Output(on: Speaker(Speaker.Room()), reopen: { nil })
    weak var kept: Sound?
    let voice: VoiceID
    do {
      let sound = Ramp.sound(1_000)
      kept = sound
      voice = try output.play(sound)
    }
    #expect(kept != nil)
    output.release(voice)
    try watch(output) { kept == nil }
    output.stop()
    try watch(output) { output.end != nil }
  }

  @Test("A device that stays away ends the output, which reports the device's error")
  func lost() throws {
    var settings = OutputSettings()
    settings.patience = .milliseconds(120)
    var speaker = Speaker(Speaker.Room())
    speaker.limit = 100
    let output = try Output(on: speaker, settings, reopen: { nil })
    let voice = try output.play(Ramp.sound(1_000))
    try watch(output) { output.end != nil }
    #expect(output.end == .disconnected("disconnected"))
    #expect(output.report(of: voice)?.state == .playing)
  }

  @Test("A device that is lost before it has played anything is awaited, too")
  func lostAtOnce() throws {
    let room = Speaker.Room()
    var speaker = Speaker(room)
    speaker.limit = 0
    // The sound is queued before the thread exists, so that the thread never sleeps before the
    // loss.
    let table = VoiceTable(Stage.mono)
    let voice = try table.play(Ramp.sound(100))
    let attempts = Atomic(0)
    let output = try Output(on: speaker, spare: table) {
      attempts.add(1, ordering: .relaxed).newValue < 3 ? nil : Speaker(room)
    }
    try finish(output, after: [voice])
    #expect(attempts.load(ordering: .relaxed) == 3)
    #expect(trimmed(room.heard).count == 100)
  }

  @Test("A device that opens repeatedly and never plays ends the output")
  func frozen() throws {
    var settings = OutputSettings()
    settings.patience = .seconds(3)
    let room = Speaker.Room()
    let attempts = Atomic(0)
    var speaker = Speaker(room)
    speaker.isFrozen = true
    let output = try Output(on: speaker, settings) {
      attempts.add(1, ordering: .relaxed)
      var speaker = Speaker(room)
      speaker.isFrozen = true
      return speaker
    }
    _ = try output.play(Ramp.sound(1_000))
    try watch(output) { output.end != nil }
    guard case .stalled(let time) = output.end else {
      Issue.record("\(String(describing: output.end))")
      return
    }
    #expect(time > .seconds(3))
    #expect(attempts.load(ordering: .relaxed) > 0)
    #expect(room.heard.isEmpty)
  }

  @Test("A voice can be stopped while the device is away")
  func stoppedWhileAway() throws {
    var settings = OutputSettings()
    settings.patience = .milliseconds(400)
    var speaker = Speaker(Speaker.Room())
    speaker.limit = 100
    let output = try Output(on: speaker, settings, reopen: { nil })
    let voice = try output.play(Ramp.sound(1_000))
    try watch(output) { output.report(of: voice)?.position ?? 0 > 100 }
    try output.send(.stop, to: voice)
    try watch(output) { output.report(of: voice)?.state == .stopped }
    try watch(output) { output.end != nil }
    #expect(output.report(of: voice)?.state == .stopped)
  }

  @Test("10,000 sounds, as fast as they are accepted, are each played exactly once")
  func storm() throws {
    let room = Speaker.Room(keeps: false)
    let output = try Output(on: Speaker(room), reopen: { nil })
    var random = SeededGenerator(seed: 10_000)
    // Multiples of a step that floats add exactly. They are random, so that a lost frame cannot
    // compensate for a repeated one.
    let sounds = (0..<10_000).map { _ in
      (0..<Int.random(in: 1...30, using: &random)).map { _ in
        Float(Int.random(in: 1..<4_096, using: &random)) / Float(1 << 20)
      }
    }
    let ready = sounds.map { Ramp.sound($0) }
    var playing: [VoiceID] = []
    let refusals = try ready.reduce(0) { try $0 + play($1, on: output, beside: &playing) }
    try finish(output, after: playing)
    print("10,000 plays, refused and tried again \(refusals) times")
    let expected = sounds.joined().reduce(0.0) { $0 + Double($1) }
    #expect(room.tape.withLock { $0.sum } == expected)
  }

  /// Plays a sound, and retries while there is no room, after the release of voices that have ended.
  /// Returns the number of refusals.
  private func play(
    _ sound: Sound, on output: Output, beside playing: inout [VoiceID]
  ) throws -> Int {
    var refusals = 0
    while true {
      do throws(OutputError) {
        playing.append(try output.play(sound))
        return refusals
      } catch {
        guard error == .queueFull || error == .tooManyVoices(256) else { throw error }
        refusals += 1
        playing.removeAll { voice in
          guard output.report(of: voice)?.state == .ended else { return false }
          output.release(voice)
          return true
        }
        _ = try output.changed.wait(upTo: .milliseconds(5))
        output.clearChanged()
      }
    }
  }

  @Test("The built-in device plays at its own pace")
  func builtIn() throws {
    let output = try Output(on: try PlaybackDevice("test:null"), reopen: { nil })
    let frames = [Int16](repeating: 100, count: 9_600 * output.format.channels.value)
    let format = StreamFormat(
      rate: output.format.rate, channels: output.format.channels, sample: .int16)
    let begun = KernelClock.monotonic.now
    let voice = try output.play(frames.withUnsafeBytes { Sound($0.bytes, format: format) })
    try finish(output, after: [voice])
    #expect(output.report(of: voice)?.state == .ended)
    #expect(KernelClock.monotonic.now - begun >= .milliseconds(200))
  }
}
