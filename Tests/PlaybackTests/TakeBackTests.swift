import Audio
import Linux
import Playback
import Support
import Testing

@Suite("Rewound frames", .timeLimit(.minutes(10)))
struct TakeBackTests {
  private static let commands: [VoiceCommand] = [
    .stop, .pause, .resume, .resume, .rewind, .replay, .repeats(.max), .repeats(0), .mute(true),
    .mute(false), .volume(0.5, within: 7), .seek(3), .pan(0.5), .play(PlayOptions()),
  ]

  @Test("play as if they had never been mixed, with any commands", arguments: 0..<60)
  func rehearsed(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var pair = try StagePair()
    for _ in 0..<3 {
      let sound = Ramp.sound(Int.random(in: 30...300, using: &random))
      try pair.play(sound, as: sound)
    }
    for _ in 0..<400 {
      let periods = Int.random(in: 0...4, using: &random)
      if periods > 0 { pair.rehearse(periods) }
      if Int.random(in: 0..<4, using: &random) == 0,
        let command = Self.commands.randomElement(using: &random),
        let voice = pair.voices.randomElement(using: &random)
      {
        try pair.send(command, to: voice)
      }
      pair.play(1)
    }
    pair.expectAlike()
    #expect(pair.takenBack > 100)
  }

  @Test("of a long sound play again, even if the voice has moved since", arguments: 0..<60)
  func long(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let reel = try Reel(Int.random(in: 60...300, using: &random))
    var pair = try StagePair()
    let voice = try pair.play(Sound(reel.window), as: Ramp.sound(reel.values.count))
    for _ in 0..<400 {
      reel.feed()
      // Two commands within a period: the frames that the second one rewinds began with the first
      // one.
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let command = try #require(Self.commands.randomElement(using: &random))
        try pair.send(command, to: voice)
        pair.obey()
        pair.rehearse(Int.random(in: 1...2, using: &random), meanwhile: { reel.feed() })
      }
      reel.feed()
      pair.play(1)
    }
    pair.expectAlike()
    #expect(pair.takenBack > 20)
  }

  @Test("do not change the request of a voice at rest, whose sound may no longer exist")
  func resting() throws {
    let reel = try Reel(300)
    var stage = try Stage()
    _ = try stage.table.play(Sound(reel.window))
    let resting = try stage.table.play(Sound(reel.window))
    try stage.table.send(.stop, to: resting)
    _ = stage.play(2)
    #expect(stage.rehearse(1) == nil)
    #expect(reel.window.wanted == 10)
  }

  @Test("do not exist while a voice waits for its start time")
  func moments() throws {
    var stage = try Stage()
    let voice = try stage.table.prepare(Ramp.sound(100))
    try stage.table.send(.start(at: 7_003_000_000), to: voice)
    stage.obey()
    let heard = stage.rehearse(1)
    #expect(heard == [0, 0, 0, 1, 2].map { Float($0) / 1_024 })
  }

  @Test("do not exist for a command with a start time")
  func moment() throws {
    let room = Speaker.Room()
    let output = try Output(on: Speaker(room, takingBackAt: 300), reopen: { nil })
    var options = PlayOptions()
    options.loops = true
    let next = try output.prepare(Ramp.sound(10))
    _ = try output.play(Ramp.sound(1_000), options)
    try room.awaitWaiting()
    try output.send(.start(at: 0), to: next)
    while output.report(of: next)?.isPending == true {
      _ = try output.changed.wait(upTo: .milliseconds(20))
      output.clearChanged()
    }
    room.tape.withLock { $0.playsOn = true }
    while output.report(of: next)?.state != .ended {
      try #require(output.end == nil)
      _ = try output.changed.wait(upTo: .milliseconds(20))
      output.clearChanged()
    }
    output.stop()
    #expect(room.tape.withLock { $0.takenBack } == 0)
  }

  @Test("A command rewinds frames that the device has not begun, and none is lost or repeated")
  func device() throws {
    var takenBack = 0
    for _ in 0..<20 {
      let room = Speaker.Room()
      let speaker = Speaker(room, takingBackAt: 300)
      let output = try Output(on: speaker, reopen: { nil })
      var options = PlayOptions()
      options.loops = true
      let voice = try output.play(Ramp.sound(1_000), options)
      try room.awaitWaiting()
      try output.send(.stop, to: voice)
      let deadline = KernelClock.monotonic.now + .seconds(20)
      while room.tape.withLock({ $0.stops }) == 0, KernelClock.monotonic.now < deadline {
        _ = try output.changed.wait(upTo: .milliseconds(20))
        output.clearChanged()
      }
      try #require(output.end == nil)
      var heard = room.heard
      while heard.last == 0 { heard.removeLast() }
      let last = heard.count
      expectSame(
        heard,
        (0..<last).map { Ramp.value($0 % 1_000) * Float(min(Stage.fade, last - $0)) / 5 })
      takenBack += room.tape.withLock { $0.takenBack }
    }
    #expect(takenBack == 20)
  }
}
