import Audio
import Foundation
import Support
import Testing

@testable import Recording

/// Words of a speech synthesizer in noise, as a device would capture them.
struct Utterance: Sendable {
  static let phrases = [
    "seven ships sail south", "five fine fish", "happy house", "think of three things",
    "apple pie", "record this now", "shall we go", "open the door", "please wait", "hello world",
    "fish swim", "some soft sounds", "violet evening", "zebra zone", "free fall", "hands high",
    "chop the cheese", "judge and jury", "yes or no", "under the umbrella",
  ]

  let rate: SampleRate
  /// The words alone, from their first sample to their last.
  let words: [Float]
  let frames: [UInt32]
  /// The range of the words in the frames.
  let place: Range<Int>

  /// Makes the words with a peak of −12 dBFS. Two seconds of noise alone precede them, and three
  /// follow.
  init(_ number: Int, at rate: SampleRate, noise: Decibels, in directory: String) throws {
    self.rate = rate
    words = try Self.speak(number, at: rate, in: directory)
    place = (2 * rate.hertz)..<(2 * rate.hertz + words.count)
    let words = words, place = place
    let amplitude = Float(noise.amplitude)
    frames = (0..<(place.upperBound + 3 * rate.hertz)).map { index in
      let hiss = amplitude * Self.hiss[(index + 7_919 * number) % Self.hiss.count]
      let word = place.contains(index) ? words[index - place.lowerBound] : 0
      let half = UInt32(UInt16(bitPattern: Int16(32_767 * (word + hiss))))
      return half | half << 16
    }
  }

  /// Noise with a standard deviation of 1, as a room or an amplifier makes it.
  private static let hiss: [Float] = {
    var random = SeededGenerator(seed: 1)
    return (0..<65_521).map { _ in
      (0..<12).reduce(-6) { sum, _ in sum + Float.random(in: 0..<1, using: &random) }
    }
  }()

  private static func speak(
    _ number: Int, at rate: SampleRate, in directory: String
  ) throws -> [Float] {
    let wave = "\(directory)/words-\(UUID().uuidString).wav"
    let voice = ["en", "en-us", "de"][number % 3]
    let speed = String(140 + 10 * (number % 5))
    let spoken = try Tool.run(
      "espeak-ng", ["-v", voice, "-s", speed, "-w", wave, phrases[number % phrases.count]])
    try #require(spoken.code == 0)
    let raw = try Tool.run(
      "sox", [wave, "-r", "\(rate.hertz)", "-c", "1", "-t", "f32", "-", "norm", "-12"])
    try #require(raw.code == 0)
    let samples = raw.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    // The samples before and after these are inaudible remains of the synthesizer.
    let first = try #require(samples.firstIndex { abs($0) > 0.001 })
    let last = try #require(samples.lastIndex { abs($0) > 0.001 })
    return Array(samples[first...last])
  }
}

@Suite(
  "Spoken words in noise", .requires(tool: "espeak-ng"), .requires(tool: "sox"),
  .timeLimit(.minutes(10)))
struct SpeechTests {
  struct Case: Sendable, CustomStringConvertible {
    var rate: SampleRate
    var noise: Decibels

    var description: String { "\(rate), noise at \(noise.value) dBFS" }
  }

  static let cases = [8_000, 16_000, 48_000].compactMap(SampleRate.init).flatMap { rate in
    (isThorough ? [-70.0, -60, -50] : [-50]).map { Case(rate: rate, noise: Decibels($0)) }
  }

  @Test(
    "begin the take before their first sound and end it after the silence",
    arguments: cases)
  func words(_ room: Case) throws {
    let directory = try ScratchDirectory()
    var voice = VoiceSettings()
    voice.start = Decibels(room.noise.value + 10)
    voice.threshold = Decibels(room.noise.value + 6)
    voice.preRoll = .milliseconds(500)
    voice.silence = .seconds(1)
    var falseStarts = 0
    for number in 0..<(isThorough ? 12 : 4) {
      let words = try Utterance(number, at: room.rate, noise: room.noise, in: directory.path)
      let period = room.rate.hertz / 10
      let steps = words.frames.count / period
      let result = try Bench().run(
        Array(repeating: .deliver(period), count: steps), voice: voice, rate: room.rate,
        content: { words.frames[$0] })
      #expect(result.write == .silence, "number \(number)")
      let first = Int(result.progress.frames.discarded.value)
      let end = first + result.numbers.count
      #expect(result.numbers == Array(words.frames[first..<end]))
      #expect(first <= words.place.lowerBound, "the first sound of number \(number) is cut")
      if first < words.place.lowerBound - room.rate.hertz * 6 / 10 { falseStarts += 1 }
      let late = Double(end - words.place.upperBound) / Double(room.rate.hertz) - 1
      #expect(abs(late) <= 0.3, "number \(number) ends \(late) s after its silence")
    }
    #expect(falseStarts <= 1)
  }
}
