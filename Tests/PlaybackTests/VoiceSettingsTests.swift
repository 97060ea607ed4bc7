import Audio
import Foundation
import Playback
import Testing

@Suite("The settings of a voice", .timeLimit(.minutes(10)))
struct VoiceSettingsTests {
  private static let stereo = StreamFormat(
    rate: Stage.mono.rate, channels: .stereo, sample: .float32)

  @Test(
    "Pan at its ends silences a side, also what changes meanwhile does not click",
    arguments: [Float(-1), 1])
  func pan(place: Float) throws {
    var stage = try Stage(Self.stereo)
    let sound = Ramp.sound([Float](repeating: 0.5, count: 400), Self.stereo)
    let voice = try stage.table.play(sound)
    #expect(stage.play(2).allSatisfy { $0 == 0.5 })
    try stage.table.send(.pan(place), to: voice)
    let heard = stage.play(10)
    let (near, far) = place < 0 ? (0, 1) : (1, 0)
    #expect(stride(from: near, to: heard.count, by: 2).allSatisfy { heard[$0] == 0.5 })
    let faded = stride(from: far, to: heard.count, by: 2).map { heard[$0] }
    expectSame(Array(faded.prefix(5)), (1...5).map { 0.5 - 0.1 * Float($0) })
    #expect(faded.dropFirst(5).allSatisfy { $0 == 0 })
  }

  @Test("A pan that was set before the start applies from the first frame")
  func panBefore() throws {
    var stage = try Stage(Self.stereo)
    let voice = try stage.table.prepare(
      Ramp.sound([Float](repeating: 0.5, count: 40), Self.stereo))
    try stage.table.send(.pan(1), to: voice)
    try stage.table.send(.resume, to: voice)
    let heard = stage.play(2)
    #expect(stride(from: 0, to: heard.count, by: 2).allSatisfy { heard[$0] == 0 })
    #expect(stride(from: 1, to: heard.count, by: 2).allSatisfy { heard[$0] == 0.5 })
  }

  @Test(
    "The rounds that follow can be changed while it plays",
    arguments: [
      // The repeats that are set before the start, the repeats that are set while the first round
      // plays, and the rounds that are played.
      (first: 0, later: 0, heard: 1), (first: 5, later: 0, heard: 1),
      (first: .max, later: 0, heard: 1),
      (first: 0, later: 2, heard: 3), (first: .max, later: 1, heard: 2),
    ])
  func repeats(first: Int, later: Int, heard: Int) throws {
    var stage = try Stage()
    let voice = try stage.table.prepare(Ramp.sound(23))
    try stage.table.send(.repeats(first), to: voice)
    try stage.table.send(.resume, to: voice)
    var samples = stage.play(2)
    try stage.table.send(.repeats(later), to: voice)
    samples += stage.play(40)
    expectSame(samples, (0..<210).map { $0 < 23 * heard ? Ramp.value($0 % 23) : 0 })
    #expect(stage.table.report(of: voice)?.state == .ended)
  }

  @Test("An endless sound has no gap, until the current round becomes the last one")
  func endless() throws {
    var stage = try Stage()
    let voice = try stage.table.prepare(Ramp.sound(23))
    try stage.table.send(.repeats(.max), to: voice)
    try stage.table.send(.resume, to: voice)
    var samples = stage.play(40)
    try stage.table.send(.repeats(0), to: voice)
    samples += stage.play(20)
    // 200 frames are 8 rounds and 16 frames of the ninth.
    expectSame(samples, (0..<300).map { $0 < 207 ? Ramp.value($0 % 23) : 0 })
  }

  @Test(
    "A volume above 1 makes it louder and stops at full scale",
    arguments: [(Float(0.25), Int16(32_767)), (-0.25, -32_768), (0.05, 13_107)])
  func loud(sample: Float, expected: Int16) throws {
    let format = StreamFormat(rate: Stage.mono.rate, channels: .mono, sample: .int16)
    var stage = try Stage(format) { $0.seed = 1 }
    var options = PlayOptions()
    options.volume = 8
    _ = try stage.table.play(Ramp.sound([Float](repeating: sample, count: 5)), options)
    let heard = stage.bytes().withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    // The dither is less than two steps.
    #expect(heard.allSatisfy { abs(Int($0) - Int(expected)) <= 2 }, "\(heard)")
  }
}

@Suite("The loudness of a voice", .timeLimit(.minutes(10)))
struct VoiceLevelTests {
  private static let stereo = StreamFormat(rate: .hz48000, channels: .stereo, sample: .float32)

  private func decibels(_ value: Float) -> Double { 20 * log10(Double(value)) }

  /// Half a second of a full-scale sine on the left, and silence on the right.
  private var sine: Sound {
    Ramp.sound(
      (0..<48_000).map { $0 % 2 == 0 ? Float(sin(Double($0 / 2) * 2 * .pi * 997 / 48_000)) : 0 },
      Self.stereo)
  }

  @Test("A sine of full scale has a peak of 0 dB and a mean of −3 dB, on its channel alone")
  func sineOfFullScale() throws {
    var stage = try Stage(Self.stereo)
    let voice = try stage.table.play(sine)
    try stage.table.send(.meter(true), to: voice)
    _ = stage.play(25)
    let levels = try #require(stage.table.report(of: voice)).levels
    #expect(levels.count == 2)
    #expect(abs(decibels(levels.peak(of: 0))) < 0.1)
    #expect(abs(decibels(levels.rms(of: 0)) + 3.01) < 0.2)
    #expect(levels.peak(of: 1) == 0 && levels.rms(of: 1) == 0)
  }

  @Test("A channel that has become silent has no level in the next interval")
  func silenced() throws {
    var stage = try Stage(Self.stereo)
    let samples = (0..<48_000).map { $0 < 4_800 ? Float(0.5) : 0 }
    let voice = try stage.table.play(Ramp.sound(samples, Self.stereo))
    try stage.table.send(.meter(true), to: voice)
    _ = stage.play(4)
    let loud = try #require(stage.table.report(of: voice)).levels
    #expect(loud.peak(of: 0) == 0.5 && loud.peak(of: 1) == 0.5)
    _ = stage.play(21)
    let silent = try #require(stage.table.report(of: voice)).levels
    #expect(silent.count == 2 && silent.peak(of: 0) == 0 && silent.peak(of: 1) == 0)
    #expect(silent.rms(of: 0) == 0 && silent.rms(of: 1) == 0)
  }

  @Test("Levels are measured only on request, and a paused voice has none")
  func onDemand() throws {
    var stage = try Stage(Self.stereo)
    let voice = try stage.table.play(sine)
    _ = stage.play(25)
    #expect(stage.table.report(of: voice)?.levels.count == 0)
    try stage.table.send(.meter(true), to: voice)
    _ = stage.play(1)
    #expect(stage.table.report(of: voice)?.levels.count == 2)
    try stage.table.send(.pause, to: voice)
    _ = stage.play(2)
    #expect(stage.table.report(of: voice)?.levels.count == 0)
  }

  @Test("Two voices are measured separately, each with its volume and its pan")
  func apart() throws {
    var stage = try Stage(Self.stereo)
    let voices = [try stage.table.play(sine), try stage.table.play(sine)]
    for voice in voices { try stage.table.send(.meter(true), to: voice) }
    try stage.table.send(.volume(0.5, within: 0), to: voices[0])
    try stage.table.send(.pan(1), to: voices[1])
    _ = stage.play(40)
    let levels = voices.compactMap { stage.table.report(of: $0)?.levels }
    #expect(abs(levels[0].peak(of: 0) - 0.5) < 0.01)
    #expect(levels[1].peak(of: 0) == 0)
  }
}

@Suite("A start at a given time", .timeLimit(.minutes(10)))
struct StartAtMomentTests {
  /// Returns the command to start at a time of the clock. The command states it in nanoseconds.
  private func moment(_ milliseconds: Int64) -> VoiceCommand {
    .start(at: milliseconds * 1_000_000)
  }

  @Test(
    "The first frame plays exactly on time, with any number of buffered frames",
    arguments: [0, 3, 5, 17, 40], [0, 7, 40] as [FrameCount])
  func exact(delay: Int, ahead: FrameCount) throws {
    var stage = try Stage()
    let voice = try stage.table.prepare(Ramp.sound(40))
    try stage.table.send(moment(7_000 + Int64(delay)), to: voice)
    let heard = stage.play(20, from: .seconds(7), after: ahead)
    // A frame lasts a millisecond. A voice that cannot start in time starts immediately.
    let first = max(0, delay - Int(ahead.value))
    expectSame(
      heard, (0..<100).map { (first..<first + 40).contains($0) ? Ramp.value($0 - first) : 0 })
  }

  @Test("Voices with one start time start with the same frame, whenever they got the command")
  func together() throws {
    var stage = try Stage()
    let sound = Ramp.sound([Float](repeating: 0.25, count: 100))
    let first = try stage.table.prepare(sound)
    try stage.table.send(moment(7_033), to: first)
    var heard = stage.play(3, from: .seconds(7))
    let second = try stage.table.prepare(sound)
    try stage.table.send(moment(7_033), to: second)
    // The clock is read slightly late, as in reality.
    heard += stage.play(10, from: .microseconds(7_015_300))
    #expect(heard.filter { $0 == 0.25 }.isEmpty)
    let begin = try #require(heard.firstIndex(of: 0.5))
    #expect(abs(begin - 33) <= 1)
    #expect(heard[begin...].allSatisfy { $0 == 0.5 })
  }

  @Test("A stop before the start time leaves silence, and a new start time replaces the old one")
  func changed() throws {
    var stage = try Stage()
    let voice = try stage.table.prepare(Ramp.sound(40))
    try stage.table.send(moment(7_010), to: voice)
    #expect(stage.play(1, from: .seconds(7)).allSatisfy { $0 == 0 })
    let waits = !stage.isAtRest
    #expect(waits)
    try stage.table.send(.stop, to: voice)
    #expect(stage.play(5, from: .milliseconds(7_005)).allSatisfy { $0 == 0 })
    let rests = stage.isAtRest
    #expect(rests)
    try stage.table.send(moment(7_050), to: voice)
    try stage.table.send(moment(7_045), to: voice)
    let heard = stage.play(5, from: .milliseconds(7_030))
    expectSame(heard, (0..<25).map { $0 < 15 ? 0 : Ramp.value($0 - 15) })
  }
}

@Suite("A device that was away", .timeLimit(.minutes(10)))
struct UnheardTests {
  @Test(
    "The frames that it did not play are played again, also across the beginning of a round",
    arguments: [0, 1, 7, 20, 60], [1, 3])
  func again(unheard: Int, times: Int) throws {
    var stage = try Stage()
    var options = PlayOptions()
    options.times = times
    let voice = try stage.table.play(Ramp.sound(50), options)
    _ = stage.play(times == 1 ? 8 : 14)
    let place = times == 1 ? 40 : 70
    stage.freeze(unheard: FrameCount(unheard))
    let first = max(0, place - unheard)
    #expect(stage.table.report(of: voice)?.position == FrameCount(first % 50))
    let heard = stage.play(40)
    let expected = (0..<200).map { frame -> Float in
      let place = first + frame
      let rise = first % 50 == 0 ? 1 : min(1, Float(frame + 1) / 5)
      return place < 50 * times ? Ramp.value(place % 50) * rise : 0
    }
    expectSame(heard, expected)
  }

  @Test("A sound that ended in the unheard frames plays again from there, unless stopped since")
  func afterEnd() throws {
    var stage = try Stage()
    let voice = try stage.table.play(Ramp.sound(48))
    _ = stage.play(12)
    #expect(stage.table.report(of: voice)?.state == .ended)
    stage.freeze(unheard: 32)
    #expect(stage.table.report(of: voice)?.state == .playing)
    #expect(stage.table.report(of: voice)?.position == 28)
    let expected = (28..<58).map { $0 < 48 ? Ramp.value($0) * min(1, Float($0 - 27) / 5) : 0 }
    expectSame(stage.play(6), expected)
    #expect(stage.table.report(of: voice)?.state == .ended)
    try stage.table.send(.stop, to: voice)
    stage.obey()
    stage.freeze(unheard: 60)
    #expect(stage.table.report(of: voice)?.state == .ended)
  }

  @Test("A seek is never undone by the loss")
  func afterJump() throws {
    var stage = try Stage()
    let voice = try stage.table.play(Ramp.sound(200))
    _ = stage.play(8)
    try stage.table.send(.seek(150), to: voice)
    _ = stage.play(2)
    stage.freeze(unheard: 60)
    #expect(stage.table.report(of: voice)?.position == 150)
  }
}
