import Bench
import Foundation
import RecorderKit
import Testing

@Suite("Playing", .timeLimit(.minutes(5)))
struct PlayerTests {
  @Test("A file, its bytes and its frames play the same frames, to the last")
  func sources() async throws {
    let samples = Known.samples(7_777)
    let bytes = Known.wave(samples)
    let path = FileManager.default.temporaryDirectory
      .appending(path: "play-\(UUID().uuidString).wav").path
    try Data(bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for sound in [
      try Sound(file: path), try .file(path), try .data(bytes), try Known.sound(samples),
    ] {
      #expect(sound.format == Known.format && sound.frameCount == 7_777)
      let speakers = try Speakers()
      try await speakers.player.play(sound)
      await speakers.player.close()
      #expect(speakers.heard() == samples)
      #expect(speakers.heard(1) == samples)
    }
  }

  @Test(
    "Rounds follow each other without a gap, also where their number changes", arguments: [1, 3])
  func rounds(times: Int) async throws {
    let samples = Known.samples(4_801)
    let speakers = try Speakers()
    try await speakers.player.play(try Known.sound(samples), repeating: .times(times))
    let endless = try await speakers.player.start(try Known.sound(samples), repeating: .forever)
    try await speakers.tape.advance(by: 7_200)
    endless.repetition = .once
    #expect(await endless.waitUntilEnded() == .finished)
    await speakers.player.close()
    let heard = speakers.all().filter { $0 != 0 }
    #expect(heard.count % 4_801 == 0 && heard.count >= 4_801 * (times + 2))
    #expect(heard.enumerated().allSatisfy { $0.element == samples[$0.offset % 4_801] })
  }

  @Test("A time out of range is limited to 0 to 100 years", arguments: [Int64.max, .min])
  func impossibleTimes(seconds: Int64) async throws {
    let speakers = try Speakers()
    let time = Duration.seconds(seconds)
    let playback = try await speakers.player.start(try Known.sound(Known.samples(48_000)))
    playback.setVolume(.greatestFiniteMagnitude, within: time)
    playback.seek(to: time)
    playback.stop(within: time)
    playback.stop()
    if case .failed(let error) = await playback.waitUntilEnded() { Issue.record("\(error)") }
    await speakers.player.close()
  }

  @Test("A pause loses no frame, and a stop keeps the position for the next start")
  func pause() async throws {
    let samples = [Float](repeating: 0.25, count: 288_000)
    let speakers = try Speakers()
    let playback = try await speakers.player.start(try Known.sound(samples))
    try await eventually { playback.position > .milliseconds(50) }
    playback.pause()
    #expect(playback.state == .paused)
    try await Known.playElsewhere(.milliseconds(100))
    let place = playback.position
    try await Known.playElsewhere(.milliseconds(50))
    #expect(playback.position == place && place > .milliseconds(50))
    try await playback.start()
    playback.stop()
    #expect(await playback.waitUntilEnded() == .stopped)
    #expect(playback.state == .stopped && playback.position >= place)
    try await playback.start()
    #expect(await playback.waitUntilEnded() == .finished)
    #expect(playback.state == .ended && playback.position == .seconds(6))
    await speakers.player.close()
    // Each of the two interruptions plays up to 5 ms more to fade out, and later fades in again.
    let heard = speakers.all().filter { $0 != 0 }
    #expect(heard.count >= 288_000 && heard.count <= 288_000 + 2 * 240)
    #expect(heard.filter { $0 == 0.25 }.count >= 288_000 - 2 * 240)
  }

  @Test("Volume and pan are exact and change without a click")
  func volumeAndPan() async throws {
    let speakers = try Speakers()
    let playback = try speakers.player.playback(
      of: try Known.sound([Float](repeating: 0.5, count: 24_000)), repeating: .forever, volume: 0.5)
    playback.pan = -1
    try await playback.start()
    try await speakers.tape.advance(by: 4_800)
    playback.setVolume(1, within: .milliseconds(200))
    playback.pan = 1
    try await speakers.tape.advance(by: 19_200)
    playback.repetition = .once
    #expect(await playback.waitUntilEnded() == .finished)
    await speakers.player.close()
    let (left, right) = (speakers.heard(0), speakers.heard(1))
    #expect(left.first == 0.25 && right.last == 0.5)
    // A fade of 5 ms changes by less than 1/200 per frame.
    for channel in [speakers.all(0), speakers.all(1)] {
      let frames = channel.drop { $0 == 0 }.dropFirst().dropLast(1)
      let steps = zip(frames, frames.dropFirst()).map { abs($0 - $1) }
      #expect(steps.filter { $0 > 0.005 }.count <= 1)
    }
    let rise = right.filter { $0 > 0.26 && $0 < 0.49 }.count
    #expect(rise > 7_000 && rise < 10_500, "of the fade of 9,600 frames \(rise) are on the right")
  }

  @Test("Samples beyond full scale are limited")
  func loud() async throws {
    let speakers = try Speakers()
    let samples: [Float] = (0..<4_800).map { $0 % 2 == 0 ? 0.5 : -0.5 }
    try await speakers.player.play(try Known.sound(samples), volume: 4)
    await speakers.player.close()
    #expect(speakers.heard() == samples.map { $0 * 2 })
  }

  @Test("Two sounds with the same start time begin at the same frame, at that time")
  func together() async throws {
    let speakers = try Speakers()
    let sound = try Known.sound([Float](repeating: 0.25, count: 4_800))
    let player = speakers.player
    let first = try player.playback(of: sound)
    let second = try player.playback(of: sound)
    try await first.prepare()
    let wait = ProcessorWait()
    let moment = SuspendingClock.now + .seconds(3)
    async let one: Void = first.start(at: moment)
    try await eventually { first.state == .playing }
    async let other: Void = second.start(at: moment)
    _ = try await (one, other)
    // The device buffers frames, so the first frame is written ahead of its time.
    let late = moment.duration(to: .now)
    #expect(late > .milliseconds(-150) && late < .milliseconds(150) + wait.longest, "\(late)")
    _ = await (first.waitUntilEnded(), second.waitUntilEnded())
    await player.close()
    #expect(speakers.heard() == [Float](repeating: 0.5, count: 4_800))
  }

  @Test("A cancelled task fades its sound out without an error")
  func cancelled() async throws {
    let speakers = try Speakers()
    let sound = try Known.sound([Float](repeating: 0.5, count: 480_000))
    let task = Task { try await speakers.player.play(sound) }
    try await eventually { speakers.tape.frames > 4_800 }
    let (begun, wait) = (ContinuousClock.now, ProcessorWait())
    task.cancel()
    try await task.value
    #expect(ContinuousClock.now - begun < .milliseconds(600) + wait.longest)
    await speakers.player.close()
    let heard = speakers.heard()
    #expect(heard.count < 400_000)
    let fade = heard.drop { $0 == 0.5 }
    #expect(fade.count > 6_000 && zip(fade, fade.dropFirst()).allSatisfy { $0 >= $1 })
    // A task that is already cancelled plays nothing.
    let never = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await speakers.player.play(sound)
    }
    try await never.value
  }

  @Test("A start that is cancelled before its time plays nothing and throws an error")
  func cancelledStart() async throws {
    let speakers = try Speakers()
    let playback = try speakers.player.playback(of: try Known.sound(Known.samples(4_800)))
    let task = Task { try await playback.start(at: SuspendingClock.now + .seconds(3_600)) }
    try await eventually { playback.state == .playing }
    task.cancel()
    let error = await #expect(throws: RecorderError.self) { try await task.value }
    #expect(error?.code == .alreadyEnded && playback.state == .stopped)
    await speakers.player.close()
    #expect(speakers.heard().isEmpty)
  }

  @Test("States and levels arrive as they happen, and the model follows")
  @MainActor func news() async throws {
    let player = Player(on: "test:null")
    let playback = try player.playback(of: try Known.sound([Float](repeating: 0.5, count: 48_000)))
    let model = PlaybackModel(playback)
    var levels = playback.levels.makeAsyncIterator()
    var states = playback.states.makeAsyncIterator()
    playback.resume()
    #expect(await states.next() == .playing)
    let level = try #require(await levels.next())
    #expect(level.channels.count == 2 && level.all.peak == 0.5)
    playback.pause()
    #expect(await states.next() == .paused)
    try await eventually { model.state == .paused }
    model.volume = 0.25
    #expect(playback.volume == 0.25)
    playback.resume()
    #expect(await states.next() == .playing)
    #expect(await states.next() == .ended)
    try await eventually { model.state == .ended }
    #expect(model.levels.channels.isEmpty && model.position == .seconds(1))
  }

  @Test("A model shows a change that comes before its tasks have begun")
  @MainActor func early() async throws {
    let sound = try Known.sound(Known.samples(48_000))
    let playback = try await Player(on: "test:null").start(sound, repeating: .forever)
    let model = PlaybackModel(playback)
    #expect(model.state == .playing)
    playback.pause()
    try await eventually { model.state == .paused }
    playback.stop()
  }

  @Test("Bundled sounds play by name, and unplayable sounds throw an error with the reason")
  func names() async throws {
    let done = try Sound.named("done")
    #expect(done.duration.map { $0 > .zero } == true)
    try await Player(on: "test:null").play(done)
    #expect(SoundLibrary.usual.entries(matching: "done").contains { $0.name == "done" })
    let unknown = #expect(throws: RecorderError.self) { try Sound.named("no-such-sound") }
    #expect(unknown?.code == .unknownSound && unknown?.subject == "no-such-sound")
    let text = Array(repeating: UInt8(ascii: "x"), count: 4_096)
    for step in [
      { _ = try Sound.file("/nowhere/at-all.wav") }, { _ = try Sound.data(text) },
      { _ = try Sound.file("/") }, { _ = try Sound.named("../etc") },
      { _ = try Sound.frames([]) },
    ] as [() throws -> Void] {
      let error = #expect(throws: RecorderError.self) { try step() }
      #expect(error.map { !$0.description.isEmpty } == true)
    }
    let missing = #expect(throws: RecorderError.self) { try Sound.file("/nowhere/at-all.wav") }
    #expect(missing?.code == .fileUnavailable && missing?.subject == "/nowhere/at-all.wav")
    #expect(missing?.reason.lowercased().contains("no such file") == true)
    let nowhere = Player(on: "test:nowhere")
    let error = await #expect(throws: RecorderError.self) { try await nowhere.play(done) }
    #expect(error?.code == .deviceUnavailable && error?.subject == "test:nowhere")
    #expect(throws: RecorderError.self) { try nowhere.playback(of: done, repeating: .times(0)) }
  }

  @Test("No value traps, and values out of range are limited")
  func extremes() async throws {
    let player = Player(on: "test:null")
    let playback = try await player.start(
      try Known.sound(Known.samples(48_000)), repeating: .times(1_000_000))
    for value in [-Double.infinity, -1, 0, .greatestFiniteMagnitude, .infinity, .nan] {
      playback.volume = value
      playback.pan = value
      #expect((0...1_000).contains(playback.volume) && (-1...1).contains(playback.pan))
    }
    for times in [Int.min, -1, 0, 1] {
      playback.repetition = .times(times)
      #expect(playback.repetition == .once)
    }
    for repetition in [Repetition.times(.max), .times(2), .forever, .once, .times(.max)] {
      playback.repetition = repetition
    }
    for time in [Duration.seconds(Int64.min), .seconds(-1), .zero, .seconds(Int64.max)] {
      playback.setVolume(0.5, within: time)
      playback.seek(to: time)
      #expect((.zero ... .seconds(1)).contains(playback.position))
      playback.pause()
      try await playback.start(at: SuspendingClock().systemEpoch + min(time, .zero))
    }
    playback.stop(within: .seconds(Int64.max))
    playback.stop()
    #expect(await playback.waitUntilEnded() == .stopped)
    let later = try player.playback(of: try Known.sound(Known.samples(100)))
    let start = Task { try await later.start(at: .now + .seconds(Int64.max)) }
    try await eventually { later.state == .playing }
    later.stop()
    try await start.value
    #expect(throws: RecorderError.self) {
      try player.playback(of: try Known.sound([0]), repeating: .times(.max))
    }
  }

  @Test("AAC is refused, and the error names it and the supported encodings")
  func foreign() throws {
    var file: [UInt8] = [0, 0, 0, 32] + Array("ftypM4A ".utf8)
    file += [UInt8](repeating: 0, count: 4_096)
    let error = #expect(throws: RecorderError.self) { try Sound.data(file) }
    let words = error?.description ?? ""
    #expect(words.contains("AAC") && words.contains("FLAC") && words.contains("Opus"), "\(words)")
  }

  @Test("1,000 plays of 8 tasks, cancelled, stopped and released at random, end correctly")
  func storm() async throws {
    let sound = try Known.sound(Known.samples(2_400))
    let player = Player(on: "test:null")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await Self.play(125, of: sound, on: player) } }
      try await group.waitForAll()
    }
    await player.close()
  }

  private static func play(_ times: Int, of sound: Sound, on player: Player) async throws {
    for _ in 0..<times {
      let wait = Duration.milliseconds(Int.random(in: 0...20))
      switch Int.random(in: 0..<5) {
      case 0: try await player.play(sound)
      case 1:
        let task = Task { try await player.play(sound, repeating: .times(100)) }
        // A different time in each play, here and below.
        try await Task.sleep(for: wait)
        task.cancel()
        try await task.value
      case 2:
        let playback = try await player.start(sound, repeating: .forever)
        try await Task.sleep(for: wait)
        playback.stop()
        #expect(await playback.waitUntilEnded() == .stopped)
      case 3: _ = try await player.start(sound)
      default:
        let playback = try player.playback(of: sound, repeating: .forever)
        playback.resume()
        playback.pause()
        playback.seek(to: wait)
        playback.resume()
        playback.pan = 0.5
      }
    }
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
