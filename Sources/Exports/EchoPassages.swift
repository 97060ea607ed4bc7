internal import Analysis
internal import Glibc

/// The levels of a microphone in three kinds of passages: with the echo alone, with the speech
/// alone, and with echo and speech.
///
/// The echo in each 10 ms is predicted from the loudspeaker's sound and the measured powers of the
/// echo. So the prediction does not depend on how well the canceller has removed the echo.
struct EchoPassages {
  /// A block of 10 ms, with its power before and after the removal of the echo. `hasSpeech` is also
  /// true shortly before and after speech. `isLoud` is true only if speech is louder than the echo
  /// and the noise in this block.
  private struct Block {
    var hasEcho: Bool
    var hasSpeech: Bool
    var isLoud: Bool
    var before: Double
    var after = 0.0
  }

  /// The number of blocks of one kind, and the sums of their powers.
  private struct Tally {
    var count = 0
    var before = 0.0
    var after = 0.0
  }

  private let powers: [Double]
  private let noise: Double
  /// The factor by which the power of the echo decays in each block. It predicts the end of an echo
  /// that lasts longer than the blocks in `powers`.
  private let decay: Double
  /// The powers of the last blocks of the loudspeaker, the newest first.
  private var played: [Double]
  /// The powers of the last blocks of the microphone and of the predicted echo.
  private var recent: [(recorded: Double, echo: Double)]
  /// The largest power that the echo can have in the current block.
  private var bound = 0.0
  /// The number of blocks since the last block with speech louder than the echo.
  private var pause = EchoPassages.hold
  /// The number of blocks before the first frame of the export. The tallies exclude these blocks.
  var early = 0
  /// The blocks that are not in the tallies yet.
  private var blocks: [Block] = []
  /// The number of `blocks` whose power after the removal is known.
  private var answered = 0
  private var (all, echo, speech, both) = (0, Tally(), Tally(), Tally())

  /// The predicted echo counts as echo only if its ratio to the noise exceeds this value: 6 dB.
  private static let echoExcess = 4.0
  /// A block contains speech if the microphone is more than 3 dB louder than the echo and the noise
  /// together.
  private static let speechExcess = 2.0
  /// The number of blocks whose powers are averaged.
  private static let average = 4
  /// The number of blocks before and after detected speech that also count as speech. They may
  /// contain quiet speech that is not detected, because it is weaker than the echo.
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

  /// Returns the decay of the echo in each block, from the second and the last third of the powers.
  /// The result is limited to a range, because the last third may be noise.
  private static func decay(_ powers: [Double]) -> Double {
    let third = powers.count / 3
    let (middle, last) = (powers[third..<2 * third], powers[(2 * third)...])
    let ratio = last.reduce(0, +) / max(middle.reduce(0, +), 1e-30)
    return min(0.97, max(0.9, pow(ratio, 1 / Double(third))))
  }

  /// Adds the power of a block of the microphone and the power of a block of the loudspeaker. The
  /// echo of the loudspeaker's block begins 10 ms later.
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

  /// Sets the power after the removal, for the first block without this power.
  mutating func add(result: Double) {
    guard answered < blocks.count else { return }
    blocks[answered].after = result
    answered += 1
    if answered > 2 * Self.hold { count(Self.hold) }
  }

  /// Adds the remaining blocks to the tallies.
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

  /// Whether the echo is alone for at least 0.2 s in total.
  var hasEchoAlone: Bool { echo.count >= Self.fewest }

  /// The reduction of the echo alone in decibels, or nil if the echo is alone for less than 0.2 s
  /// in total.
  var reduction: Double? {
    guard hasEchoAlone else { return nil }
    let lowest = Self.lowest * Double(echo.count)
    return 10 * log10(max(echo.before, lowest) / max(echo.after, lowest))
  }

  /// The level of the echo alone minus the level of the speech alone, in decibels. Nil if the echo
  /// or the speech is alone for less than 0.2 s in total.
  var excess: Double? {
    guard hasEchoAlone, speech.count >= Self.fewest else { return nil }
    return 10 * log10(echo.before / Double(echo.count) / (speech.before / Double(speech.count)))
  }

  /// The share of the time with both echo and speech, 0 to 1.
  var overlap: Double {
    all > 0 ? Double(both.count) / Double(all) : 0
  }
}
