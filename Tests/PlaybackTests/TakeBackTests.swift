import Audio
import Linux
import Playback
import Support
import Testing

@Suite("Frames that are taken back", .timeLimit(.minutes(10)))
struct TakeBackTests {
  private static let commands: [VoiceCommand] = [
    .stop, .pause, .resume, .resume, .rewind, .replay, .loop(true), .loop(false), .mute(true),
    .mute(false), .volume(0.5, within: 7), .seek(3), .pan(0.5), .play(PlayOptions()),
  ]

  @Test("are heard as if they had never been mixed, whatever is told", arguments: 0..<60)
  func rehearsed(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var plain = try Stage()
    var rehearsing = try Stage()
    var voices: [(VoiceID, VoiceID)] = []
    for _ in 0..<3 {
      let length = Int.random(in: 30...300, using: &random)
      voices.append(
        (try plain.table.play(Ramp.sound(length)), try rehearsing.table.play(Ramp.sound(length))))
    }
    var (expected, heard): ([Float], [Float]) = ([], [])
    var takenBack = 0
    for _ in 0..<400 {
      let periods = Int.random(in: 0...4, using: &random)
      if periods > 0 {
        if let kept = rehearsing.rehearse(periods) {
          heard += kept
          expected += plain.play(periods)
        } else {
          takenBack += 1
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0,
        let command = Self.commands.randomElement(using: &random),
        let pair = voices.randomElement(using: &random)
      {
        try plain.table.send(command, to: pair.0)
        try rehearsing.table.send(command, to: pair.1)
      }
      expected += plain.play(1)
      heard += rehearsing.play(1)
    }
    expectSame(heard, expected)
    for pair in voices {
      #expect(plain.table.report(of: pair.0) == rehearsing.table.report(of: pair.1))
    }
    #expect(takenBack > 100)
  }

  @Test("A command takes back what the device has not begun, and no frame is lost or heard twice")
  func device() throws {
    var takenBack = 0
    for _ in 0..<20 {
      let room = Speaker.Room()
      var speaker = Speaker(room)
      speaker.takesBackAt = 300
      let output = try Output(on: speaker, reopen: { nil })
      var options = PlayOptions()
      options.loops = true
      let voice = try output.play(Ramp.sound(1_000), options)
      while !room.tape.withLock({ $0.isWaiting }) { KernelClock.sleep(.milliseconds(1)) }
      try output.send(.stop, to: voice)
      output.finish()
      let deadline = KernelClock.monotonic.now + .seconds(20)
      while output.end == nil, KernelClock.monotonic.now < deadline {
        _ = try output.changed.wait(upTo: .milliseconds(20))
        output.clearChanged()
      }
      try #require(output.end == .finished)
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
