import Audio
import Playback
import Testing

/// A row of the table: a state, a command, and the result.
struct Line: Sendable, CustomTestStringConvertible {
  let from: PlaybackState
  let command: VoiceCommand
  let state: PlaybackState
  let position: Int
  /// The first frame that is played afterwards, or nil if there is none.
  var head: Int?
  /// Whether it begins with a fade.
  var isSoft = false

  var testDescription: String { "\(from) \(command)" }
}

private let length = 40
private let here = 10

/// The rows of play and replay, which have the same result in every state.
private let beginnings: [Line] = PlaybackState.allCases.flatMap { from in
  [.play(PlayOptions()), .replay].map {
    Line(from: from, command: $0, state: .playing, position: 0, head: 0)
  }
}

private let lines: [Line] =
  beginnings + [
    Line(from: .stopped, command: .stop, state: .stopped, position: here),
    Line(from: .playing, command: .stop, state: .stopped, position: here),
    Line(from: .paused, command: .stop, state: .stopped, position: here),
    Line(from: .ended, command: .stop, state: .ended, position: length),

    Line(from: .stopped, command: .pause, state: .stopped, position: here),
    Line(from: .playing, command: .pause, state: .paused, position: here),
    Line(from: .paused, command: .pause, state: .paused, position: here),
    Line(from: .ended, command: .pause, state: .ended, position: length),

    Line(
      from: .stopped, command: .resume, state: .playing, position: here, head: here, isSoft: true),
    Line(from: .playing, command: .resume, state: .playing, position: here, head: here),
    Line(
      from: .paused, command: .resume, state: .playing, position: here, head: here, isSoft: true),
    Line(from: .ended, command: .resume, state: .ended, position: length),

    Line(from: .stopped, command: .rewind, state: .stopped, position: 0),
    Line(from: .playing, command: .rewind, state: .playing, position: 0, head: 0),
    Line(from: .paused, command: .rewind, state: .paused, position: 0),
    Line(from: .ended, command: .rewind, state: .stopped, position: 0),

    Line(from: .stopped, command: .seek(20), state: .stopped, position: 20),
    Line(from: .playing, command: .seek(20), state: .playing, position: 20, head: 20, isSoft: true),
    Line(from: .paused, command: .seek(20), state: .paused, position: 20),
    Line(from: .ended, command: .seek(20), state: .stopped, position: 20),

    Line(from: .stopped, command: .seek(99), state: .stopped, position: length),
    Line(from: .playing, command: .seek(99), state: .ended, position: length),
    Line(from: .paused, command: .seek(99), state: .paused, position: length),
    Line(from: .ended, command: .seek(99), state: .ended, position: length),

    Line(from: .stopped, command: .repeats(.max), state: .stopped, position: here),
    Line(from: .playing, command: .repeats(.max), state: .playing, position: here, head: here),
    Line(from: .paused, command: .repeats(.max), state: .paused, position: here),
    Line(from: .ended, command: .repeats(.max), state: .ended, position: length),

    Line(from: .stopped, command: .volume(1, within: 0), state: .stopped, position: here),
    Line(
      from: .playing, command: .volume(1, within: 0), state: .playing, position: here, head: here),
    Line(from: .paused, command: .volume(1, within: 0), state: .paused, position: here),
    Line(from: .ended, command: .volume(1, within: 0), state: .ended, position: length),

    Line(from: .stopped, command: .mute(false), state: .stopped, position: here),
    Line(from: .playing, command: .mute(false), state: .playing, position: here, head: here),
    Line(from: .paused, command: .mute(false), state: .paused, position: here),
    Line(from: .ended, command: .mute(false), state: .ended, position: length),
  ]

@Suite("A voice", .timeLimit(.minutes(10)))
struct VoiceTests {
  /// Plays a voice of 40 frames until it is in the given state, at frame 10 or at the end.
  private func prepare(_ stage: inout Stage, _ state: PlaybackState) throws -> VoiceID {
    let voice = try stage.table.play(Ramp.sound(length))
    _ = stage.play(state == .ended ? 8 : 2)
    if state == .stopped { try stage.table.send(.stop, to: voice) }
    if state == .paused { try stage.table.send(.pause, to: voice) }
    if state != .playing { _ = stage.play(1) }
    #expect(stage.table.report(of: voice)?.state == state)
    return voice
  }

  @Test(
    "Every command in every state has the effect in the table, sample by sample", arguments: lines)
  func table(line: Line) throws {
    var stage = try Stage()
    let voice = try prepare(&stage, line.from)
    try stage.table.send(line.command, to: voice)
    stage.obey()
    let report = try #require(stage.table.report(of: voice))
    #expect(report.state == line.state)
    #expect(report.position == FrameCount(line.position))
    let leaves = line.from == .playing && (line.head != here || line.isSoft)
    let expected = (0..<10).map { frame -> Float in
      let rise = line.isSoft ? min(1, Float(frame + 1) / 5) : 1
      let fall = leaves ? max(0, 1 - Float(frame + 1) / 5) : 0
      let head = line.head.map { Ramp.value($0 + frame) * rise } ?? 0
      return head + Ramp.value(here + frame) * fall
    }
    expectSame(stage.play(2), expected)
  }

  /// Returns 60 frames from `first` on. The play ends with the sound, or starts again if `loops` is
  /// true.
  private func heard(from first: Int, loops: Bool) -> [Float] {
    (0..<60).map { frame in
      let place = first + frame
      return place < length || loops ? Ramp.value(place % length) : 0
    }
  }

  @Test(
    "A setting made in any state applies to all later playback",
    arguments: PlaybackState.allCases,
    [VoiceCommand.volume(0.5, within: 0), .mute(true), .repeats(.max), .seek(20), .rewind])
  func settings(state: PlaybackState, command: VoiceCommand) throws {
    for next in [VoiceCommand.replay, .resume] {
      var stage = try Stage()
      let voice = try prepare(&stage, state)
      try stage.table.send(command, to: voice)
      // Every fade is complete after two periods of 5 frames.
      let played = stage.play(2)
      let before = try #require(stage.table.report(of: voice))
      if before.state != .playing { #expect(played.suffix(5).allSatisfy { $0 == 0 }) }
      try stage.table.send(next, to: voice)
      let goesOn = next == .replay || before.state != .ended
      let first = next == .replay ? 0 : Int(before.position.value)
      let factor: Float = command == .mute(true) ? 0 : command == .volume(0.5, within: 0) ? 0.5 : 1
      let expected = heard(from: first, loops: command == .repeats(.max))
        .map { goesOn ? $0 * factor : 0 }
      // The first 5 frames may fade from the previous position.
      expectSame(Array(stage.play(12).dropFirst(5)), Array(expected.dropFirst(5)))
    }
  }

  @Test("Stop and resume at the same time are inaudible")
  func sameMoment() throws {
    var stage = try Stage()
    let voice = try prepare(&stage, .playing)
    for command in [VoiceCommand.stop, .resume, .pause, .resume] {
      try stage.table.send(command, to: voice)
    }
    expectSame(stage.play(2), (10..<20).map(Ramp.value))
  }

  @Test("A volume is reached within its fade; mute and unmute take 5 ms")
  func volume() throws {
    var stage = try Stage()
    let voice = try stage.table.play(Ramp.sound([Float](repeating: 1, count: 200)))
    _ = stage.play(1)
    try stage.table.send(.volume(0.5, within: 10), to: voice)
    expectSame(stage.play(3), (1...15).map { 1 - 0.05 * Float(min($0, 10)) })
    try stage.table.send(.mute(true), to: voice)
    expectSame(stage.play(2), (1...10).map { max(0, 0.5 - 0.1 * Float($0)) })
    #expect(stage.table.report(of: voice)?.volume == 0.5)
    try stage.table.send(.mute(false), to: voice)
    expectSame(stage.play(2), (1...10).map { min(0.5, 0.1 * Float($0)) })
  }

  @Test(
    "A fade-in starts from silence, a lead-in only where the device slept",
    arguments: [true, false])
  func beginning(sleeping: Bool) throws {
    var stage = try Stage()
    var options = PlayOptions()
    options.fadeIn = 10
    options.leadIn = 7
    _ = try stage.table.play(Ramp.sound([Float](repeating: 1, count: 50)), options)
    let lead = sleeping ? 7 : 0
    let expected = (0..<25).map { min(1, max(0, Float($0 + 1 - lead) / 10)) }
    expectSame(stage.play(5, sleeping: sleeping), expected)
  }

  @Test("A sound without frames ends immediately, also in a loop")
  func empty() throws {
    var stage = try Stage()
    var options = PlayOptions()
    options.loops = true
    let voice = try stage.table.play(Ramp.sound(0), options)
    expectSame(stage.play(1), [Float](repeating: 0, count: 5))
    #expect(stage.table.report(of: voice)?.state == .ended)
  }

  @Test("The number of times is the total, exact to the frame", arguments: [1, 2, 3, 7])
  func times(times: Int) throws {
    var stage = try Stage()
    var options = PlayOptions()
    options.times = times
    let voice = try stage.table.play(Ramp.sound(23), options)
    let heard = stage.play(40)
    expectSame(heard, (0..<200).map { $0 < 23 * times ? Ramp.value($0 % 23) : 0 })
    #expect(stage.table.report(of: voice)?.state == .ended)
    #expect(stage.table.report(of: voice)?.playsLeft == 0)
  }

  @Test("A loop has no gap, and ends with the play that is under way when it is turned off")
  func loop() throws {
    var stage = try Stage()
    var options = PlayOptions()
    options.loops = true
    let voice = try stage.table.play(Ramp.sound(23), options)
    let heard = stage.play(1_000)
    #expect(heard == (0..<5_000).map { Ramp.value($0 % 23) })
    try stage.table.send(.repeats(0), to: voice)
    let rest = 23 - 5_000 % 23
    #expect(stage.play(10) == (0..<50).map { $0 < rest ? Ramp.value((5_000 + $0) % 23) : 0 })
    #expect(stage.table.report(of: voice)?.state == .ended)
  }

  @Test("A voice keeps its position when its device is lost")
  func freeze() throws {
    var stage = try Stage()
    let voice = try prepare(&stage, .playing)
    stage.freeze()
    #expect(stage.table.report(of: voice)?.position == FrameCount(here))
    let expected = (0..<10).map { Ramp.value(here + $0) * min(1, Float($0 + 1) / 5) }
    expectSame(stage.play(2), expected)
  }
}
