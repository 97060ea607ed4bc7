import Audio
import CAllocations
import Playback
import Support
import Testing

@Suite("A mix", .timeLimit(.minutes(10)))
struct MixingTests {
  @Test("40 voices that start at different times add up exactly")
  func exact() throws {
    var stage = try Stage()
    var random = SeededGenerator(seed: 40)
    var expected = [Float](repeating: 0, count: 400)
    var heard: [Float] = []
    for voice in 0..<40 {
      let values = (0..<Int.random(in: 1...200, using: &random)).map { _ in
        Int16.random(in: -800...800, using: &random)
      }
      _ = try stage.table.play(Ramp.sound(values, rate: Stage.mono.rate))
      for (frame, value) in values.enumerated() {
        expected[voice * 5 + frame] += Float(value) / 32_768
      }
      heard += stage.play(1)
    }
    heard += stage.play(40)
    #expect(heard == expected)
  }

  @Test("10,000 sounds, 120 of them at any time, are each played exactly once")
  func crowd() throws {
    var stage = try Stage()
    var random = SeededGenerator(seed: 120)
    // Multiples of a step that a float adds exactly.
    let step: Float = 1 / Float(1 << 20)
    var expected = [Int](repeating: 0, count: 5_100)
    var heard: [Float] = []
    var playing: [VoiceID] = []
    for period in 0..<1_000 {
      for _ in 0..<10 {
        let values = (0..<60).map { _ in Int.random(in: 1..<4_096, using: &random) }
        playing.append(try stage.table.play(Ramp.sound(values.map { Float($0) * step })))
        for (frame, value) in values.enumerated() { expected[period * 5 + frame] += value }
      }
      heard += stage.play(1)
      for voice in playing where stage.table.report(of: voice)?.state == .ended {
        stage.table.release(voice)
      }
      playing.removeAll { stage.table.report(of: $0)?.isPending != false }
    }
    heard += stage.play(20)
    #expect(heard == expected.map { Float($0) * step })
  }

  @Test("No period allocates, with any commands", arguments: [SampleFormat.int16, .float32])
  func allocations(sample: SampleFormat) throws {
    var stage = try Stage(StreamFormat(rate: Stage.mono.rate, channels: .mono, sample: sample))
    var voices: [VoiceID] = []
    var options = PlayOptions()
    options.loops = true
    for number in 0..<20 {
      let sound =
        number % 2 == 0
        ? Ramp.sound(23) : Ramp.sound([Int16](repeating: 9, count: 7), rate: Stage.mono.rate)
      voices.append(try stage.table.play(sound, options))
    }
    var room = [UInt8](repeating: 0, count: 5 * sample.bytesPerSample)
    var counted = 0
    for round in 0..<50 {
      let command: VoiceCommand = [.stop, .resume, .rewind, .seek(11), .replay][round % 5]
      for voice in voices { try stage.table.send(command, to: voice) }
      let before = allocations_of_this_thread()
      stage.render(into: &room)
      stage.renderAnew(into: &room)
      // In the first periods the runtime may create objects that it allocates only once.
      if round >= 10 { counted += allocations_of_this_thread() - before }
    }
    #expect(counted == 0)
  }

  @Test("Sums above full scale saturate and never wrap", arguments: [Int16.max, .min])
  func saturation(value: Int16) throws {
    let format = StreamFormat(rate: Stage.mono.rate, channels: .mono, sample: .int16)
    var stage = try Stage(format)
    for _ in 0..<40 {
      _ = try stage.table.play(Ramp.sound([Int16](repeating: value, count: 10), rate: format.rate))
    }
    let heard = stage.bytes().withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    #expect(heard == [Int16](repeating: value, count: 5))
  }

  @Test("A full queue is an error, and no accepted command is lost")
  func fullQueue() throws {
    var stage = try Stage { $0.commands = 4 }
    for _ in 0..<4 { _ = try stage.table.play(Ramp.sound([Float](repeating: 0.125, count: 5))) }
    #expect(throws: OutputError.queueFull) { _ = try stage.table.play(Ramp.sound(5)) }
    expectSame(stage.play(2), [0.5, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0])
    _ = try stage.table.play(Ramp.sound(5))
    expectSame(stage.play(1), (0..<5).map(Ramp.value))
  }

  @Test("A voice can be released although the queue is full")
  func releaseWhileFull() throws {
    var stage = try Stage { ($0.commands, $0.voices) = (4, 2) }
    let voice = try stage.table.play(Ramp.sound(1_000))
    _ = stage.play(1)
    for _ in 0..<4 { try stage.table.send(.mute(false), to: voice) }
    #expect(throws: OutputError.queueFull) { try stage.table.send(.stop, to: voice) }
    stage.table.release(voice)
    stage.table.release(voice)
    _ = stage.play(2)
    let rests = stage.isAtRest
    #expect(rests)
    // Both slots are free.
    for _ in 0..<2 { _ = try stage.table.play(Ramp.sound(5)) }
  }

  @Test("Released slots are free once they are silent, and not before")
  func slots() throws {
    var stage = try Stage { $0.voices = 2 }
    let first = try stage.table.play(Ramp.sound(100))
    let second = try stage.table.play(Ramp.sound(5))
    #expect(throws: OutputError.tooManyVoices(2)) { _ = try stage.table.play(Ramp.sound(5)) }
    stage.table.release(second)
    _ = stage.play(1)
    let third = try stage.table.play(Ramp.sound(100))
    #expect(stage.table.report(of: third)?.state == .playing)
    stage.table.release(first)
    #expect(throws: OutputError.tooManyVoices(2)) { _ = try stage.table.play(Ramp.sound(5)) }
    _ = stage.play(1)
    _ = try stage.table.play(Ramp.sound(5))
    #expect(stage.table.report(of: first) == nil)
    #expect(throws: OutputError.noSuchVoice) { try stage.table.send(.resume, to: first) }
  }

  @Test("A sound of another rate or with other channels is refused")
  func unfit() throws {
    let stage = try Stage()
    let stereo = StreamFormat(rate: Stage.mono.rate, channels: .stereo, sample: .float32)
    let fast = StreamFormat(rate: .hz48000, channels: .mono, sample: .float32)
    for format in [stereo, fast] {
      #expect(throws: OutputError.unfit) {
        _ = try stage.table.play(Ramp.sound([0, 0], format))
      }
    }
  }
}
