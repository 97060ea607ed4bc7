internal import Analysis
internal import Glibc

/// The levels of a microphone in the passages with the echo alone, with the speech alone and with
/// both.
///
/// The echo in each 10 ms is predicted from the loudspeaker's sound and the measured powers of the
/// echo. So the prediction does not depend on how well the canceller has removed the echo.
struct EchoPassages {
  /// A block of 10 ms, with its power before and after the removal of the echo. `hasSpeech` is true
  /// also shortly before and after speech. `isLoud` is true only if the speech is louder than the
  /// echo and the noise.
  private struct Block {
    var hasEcho: Bool
    var hasSpeech: Bool
    var isLoud: Bool
    var before: Double
    var after = 0.0
  }

  /// The number and the powers of the blocks of a passage.
  private struct Tally {
    var count = 0
    var before = 0.0
    var after = 0.0
  }

  private let powers: [Double]
  private let noise: Double
  /// The factor by which the power of the echo decays in each block. It predicts the end of an echo
  /// that lasts longer than `powers`.
  private let decay: Double
  /// The powers of the last blocks of the loudspeaker, the newest first.
  private var played: [Double]
  /// The powers of the last blocks of the microphone and of the predicted echo.
  private var recent: [(recorded: Double, echo: Double)]
  /// The power that the echo cannot exceed.
  private var bound = 0.0
  /// The number of blocks since speech was louder than the echo.
  private var pause = EchoPassages.hold
  /// The number of blocks before the first frame of the export. They are not counted.
  var early = 0
  /// The blocks that are not counted yet.
  private var blocks: [Block] = []
  /// The number of these blocks whose power after the removal is known.
  private var answered = 0
  private var (all, echo, speech, both) = (0, Tally(), Tally(), Tally())

  /// The predicted echo counts if it is 6 dB louder than the noise.
  private static let echoExcess = 4.0
  /// Speech counts if the microphone is 3 dB louder than the echo and the noise together.
  private static let speechExcess = 2.0
  /// The number of blocks that are averaged.
  private static let average = 4
  /// The number of blocks before and after speech that count as speech. Quiet sounds of speech are
  /// below the echo.
  private static let hold = 30
  /// The smallest number of blocks whose level is reported: 0.2 s.
  private static let fewest = 20
  /// The lowest power of a block: -100 dBFS.
  private static let lowest = 1e-10

  init(_ path: EchoPath, noise: Double) {
    powers = path.powers
    decay = Self.decay(powers)
    self.noise = max(noise, Self.lowest)
    played = Array(repeating: 0, count: path.powers.count + 1)
    recent = Array(repeating: (0, 0), count: Self.average)
  }

  /// Returns the decay between the second and the last third of the powers, within limits: the last
  /// third may be noise.
  private static func decay(_ powers: [Double]) -> Double {
    let third = powers.count / 3
    let (middle, last) = (powers[third..<2 * third], powers[(2 * third)...])
    let ratio = last.reduce(0, +) / max(middle.reduce(0, +), 1e-30)
    return min(0.97, max(0.9, pow(ratio, 1 / Double(third))))
  }

  /// Adds the powers of a block: of the microphone, and of the loudspeaker 10 ms before its echo.
  mutating func add(recorded: Double, played power: Double) {
    played.removeLast()
    played.insert(power, at: 0)
    let predicted = zip(powers, played.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    recent.removeFirst()
    recent.append((recorded, predicted))
    let level = recent.reduce(0) { $0 + $1.recorded } / Double(recent.count)
    let echo = recent.reduce(0) { $0 + $1.echo } / Double(recent.count)
    bound = max(echo, bound * decay)
    pause = level > Self.speechExcess * (bound + noise) ? 0 : pause + 1
    if pause == 0 {
      for index in blocks.indices.suffix(Self.hold) { blocks[index].hasSpeech = true }
    }
    blocks.append(
      Block(
        hasEcho: echo > Self.echoExcess * noise, hasSpeech: pause < Self.hold,
        isLoud: pause == 0, before: recorded))
  }

  /// Adds the power of the next block after the removal.
  mutating func add(result: Double) {
    guard answered < blocks.count else { return }
    blocks[answered].after = result
    answered += 1
    if answered > 2 * Self.hold { count(Self.hold) }
  }

  /// Counts the remaining blocks.
  mutating func finish() { count(answered) }

  private mutating func count(_ number: Int) {
    for block in blocks.prefix(number) {
      func add(to tally: inout Tally) {
        tally.count += 1
        tally.before += block.before
        tally.after += block.after
      }
      guard early == 0 else {
        early -= 1
        continue
      }
      all += 1
      switch (block.hasEcho, block.hasSpeech) {
      case (true, false): add(to: &echo)
      case (true, true): add(to: &both)
      case (false, _): if block.isLoud { add(to: &speech) }
      }
    }
    blocks.removeFirst(number)
    answered -= number
  }

  /// Whether the echo is alone for at least 0.2 s.
  var hasEchoAlone: Bool { echo.count >= Self.fewest }

  /// The reduction of the echo alone in decibels, or nil if it is alone for less than 0.2 s.
  var reduction: Double? {
    guard hasEchoAlone else { return nil }
    let lowest = Self.lowest * Double(echo.count)
    return 10 * log10(max(echo.before, lowest) / max(echo.after, lowest))
  }

  /// The level of the echo alone above the level of the speech alone, in decibels, or nil if one of
  /// them is alone for less than 0.2 s.
  var excess: Double? {
    guard hasEchoAlone, speech.count >= Self.fewest else { return nil }
    return 10 * log10(echo.before / Double(echo.count) / (speech.before / Double(speech.count)))
  }

  /// The share of the time with echo and speech, 0 to 1.
  var overlap: Double {
    all > 0 ? Double(both.count) / Double(all) : 0
  }
}
