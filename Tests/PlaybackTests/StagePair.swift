import Audio
import Playback
import Testing

/// Two stages that get the same commands and must render the same frames.
struct StagePair: ~Copyable {
  /// A voice of the stage under test, and the corresponding voice of the other stage.
  struct Voice {
    let tested: VoiceID
    let plain: VoiceID
  }

  private(set) var voices: [Voice] = []
  /// The number of times that frames were rewound.
  private(set) var takenBack = 0
  private var tested: Stage
  private var plain: Stage
  private var heard: [Float] = []
  private var expected: [Float] = []

  init() throws {
    self.init(try Stage(), try Stage())
  }

  private init(_ tested: consuming Stage, _ plain: consuming Stage) {
    self.tested = tested
    self.plain = plain
  }

  /// Plays a sound that must have the same result as another one.
  @discardableResult
  mutating func play(
    _ sound: Sound, as other: Sound, _ options: PlayOptions = PlayOptions()
  ) throws -> Voice {
    let voice = Voice(
      tested: try tested.table.play(sound, options), plain: try plain.table.play(other, options))
    voices.append(voice)
    return voice
  }

  func send(_ command: VoiceCommand, to voice: Voice) throws {
    try tested.table.send(command, to: voice.tested)
    try plain.table.send(command, to: voice.plain)
  }

  mutating func obey() {
    tested.obey()
    plain.obey()
  }

  mutating func play(_ periods: Int) {
    heard += tested.play(periods)
    expected += plain.play(periods)
  }

  /// Renders periods on the stage under test. They are rewound if possible, and count as played
  /// otherwise.
  mutating func rehearse(_ periods: Int, meanwhile feed: () -> Void = {}) {
    if let kept = tested.rehearse(periods, meanwhile: feed) {
      heard += kept
      expected += plain.play(periods)
    } else {
      takenBack += 1
    }
  }

  func expectAlike(location: SourceLocation = #_sourceLocation) {
    expectSame(heard, expected, location: location)
    for voice in voices {
      #expect(
        tested.table.report(of: voice.tested) == plain.table.report(of: voice.plain),
        sourceLocation: location)
    }
  }
}
