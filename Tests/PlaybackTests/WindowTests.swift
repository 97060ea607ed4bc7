import Audio
import CAllocations
import Foundation
import Support
import Synchronization
import Testing

@testable import Playback

/// An error of the test that ends a sound.
private struct Torn: Error {}

@Suite("A long sound", .timeLimit(.minutes(10)))
struct WindowTests {
  @Test("plays as if all of it were in memory, with any commands", arguments: 0..<40)
  func likeWhole(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let reel = try Reel(Int.random(in: 60...300, using: &random))
    var pair = try StagePair()
    var options = PlayOptions()
    options.times = Int.random(in: 1...3, using: &random)
    let voice = try pair.play(Sound(reel.window), as: Ramp.sound(reel.values.count), options)
    let commands: [VoiceCommand] = [
      .stop, .pause, .resume, .resume, .rewind, .replay, .repeats(.max), .repeats(0), .mute(true),
      .mute(false), .volume(0.5, within: 7), .seek(3), .play(options),
    ]
    for _ in 0..<400 {
      reel.feed()
      if Int.random(in: 0..<8, using: &random) == 0,
        let command = commands.randomElement(using: &random)
      {
        try pair.send(command, to: voice)
      }
      pair.play(1)
    }
    pair.expectAlike()
  }

  @Test("Frames can be read until the end of the read, even if the window drops them meanwhile")
  func leaving() throws {
    let reel = try Reel(100)
    let sound = Sound(reel.window)
    let frames = sound.frames
    reel.feed()
    #expect(frames.reach(from: 20) >= 10)
    reel.window.state.wanted = 60
    reel.feed()
    #expect(frames.reach(from: 20) == 0)
    #expect(frames.bytes(20..<30).byteCount == 40)
  }

  @Test("A wake starts the filling thread again after its end, unless the sound is gone")
  func resting() throws {
    let window = try Reel(100).window
    let starts = Atomic(0)
    window.rest { starts.add(1, ordering: .relaxed) }
    #expect(starts.load(ordering: .relaxed) == 0)
    window.wake()
    window.wake()
    #expect(starts.load(ordering: .relaxed) == 1)
    // The second wake has come before this end of the thread.
    window.rest { starts.add(1, ordering: .relaxed) }
    #expect(starts.load(ordering: .relaxed) == 2)
    window.rest { starts.add(1, ordering: .relaxed) }
    do { _ = Sound(window) }
    window.wake()
    window.rest { starts.add(1, ordering: .relaxed) }
    #expect(starts.load(ordering: .relaxed) == 2)
  }

  @Test("A loop continues at its beginning without a gap, while the rest is read again")
  func loop() throws {
    let reel = try Reel(100)
    var stage = try Stage()
    var options = PlayOptions()
    options.loops = true
    _ = try stage.table.play(Sound(reel.window), options)
    var heard: [Float] = []
    for _ in 0..<100 {
      reel.feed()
      heard += stage.play(1)
    }
    expectSame(heard, (0..<500).map { Ramp.value($0 % 100) })
  }

  @Test("After a seek there is silence until the frames arrive, then playback is exact")
  func jump() throws {
    let reel = try Reel(1_000)
    var stage = try Stage()
    let voice = try stage.table.play(Sound(reel.window))
    reel.feed()
    _ = stage.play(4)
    try stage.table.send(.seek(700), to: voice)
    // The fade-out at the old position, then silence.
    #expect(stage.play(1).contains { $0 != 0 })
    #expect(stage.play(6).allSatisfy { $0 == 0 })
    #expect(stage.table.report(of: voice)?.position == 700)
    reel.feed()
    let heard = stage.play(4)
    expectSame(Array(heard[5...]), (705..<720).map(Ramp.value))
  }

  @Test("It ends with its frames, at any announced length", arguments: [90, 100, 400])
  func ending(announced: Int) throws {
    let reel = try Reel(100, announced: announced)
    var stage = try Stage()
    let voice = try stage.table.play(Sound(reel.window))
    var heard: [Float] = []
    for _ in 0..<40 {
      reel.feed(upTo: 8)
      heard += stage.play(1)
    }
    expectSame(heard, (0..<200).map { $0 < 100 ? Ramp.value($0) : 0 })
    let report = try #require(stage.table.report(of: voice))
    #expect(report.state == .ended && report.position == 100)
    #expect(reel.window.length == 100)
  }

  @Test("A fault in the middle ends it there, and is also reported by a loop")
  func fault() throws {
    let reel = try Reel(1_000)
    var stage = try Stage()
    let sound = Sound(reel.window)
    let voice = try stage.table.play(sound)
    reel.feed()
    reel.window.complete(because: Torn())
    let heard = stage.play(40)
    let end = Int(reel.window.end.value)
    expectSame(heard, (0..<200).map { $0 < end ? Ramp.value($0) : 0 })
    #expect(stage.table.report(of: voice)?.state == .ended)
    #expect(sound.window?.fault is Torn)
  }

  @Test("Its window is abandoned when the sound is released")
  func abandoned() throws {
    let reel = try Reel(1_000)
    do {
      let sound = Sound(reel.window)
      #expect(sound.window?.isAbandoned == false)
    }
    #expect(reel.window.isAbandoned)
    #expect(reel.window.wait(upTo: .seconds(10)))
  }

  @Test("No frame plays at a wrong position while one thread fills and another plays and seeks")
  func threads() throws {
    let reel = try Reel(20_000, beginning: 100, capacity: 400, scale: 1 / 32)
    let isOver = Mutex(false)
    let feeder = Thread {
      while !isOver.withLock({ $0 }) {
        if !reel.feedOnce(upTo: 64) { sched_yield() }
      }
    }
    feeder.start()
    defer { isOver.withLock { $0 = true } }
    var stage = try Stage { $0.fade = .milliseconds(1) }
    var options = PlayOptions()
    options.loops = true
    let voice = try stage.table.play(Sound(reel.window), options)
    var random = SeededGenerator(seed: 3)
    var (wrong, right) = (0, 0)
    while right < 3_000 {
      if Int.random(in: 0..<10, using: &random) == 0 {
        try stage.table.send(
          .seek(FrameCount(Int.random(in: 0..<20_000, using: &random))), to: voice)
        // The fade-out at the old position. One of its samples is mixed with the new position.
        _ = stage.play(1)
      }
      let heard = stage.play(1)
      guard let position = stage.table.report(of: voice)?.position.value else { break }
      // The last played frame is the one before the position of the voice. The first frames after a
      // seek are quieter.
      let last = try #require(heard.last)
      let expected = reel.values[(Int(position) + 19_999) % 20_000]
      if last == expected {
        right += 1
      } else if last != 0 {
        wrong += 1
      } else {
        sched_yield()
      }
    }
    #expect(wrong == 0)
  }

  @Test("Rendering it never allocates")
  func allocations() throws {
    let reel = try Reel(2_000)
    var stage = try Stage()
    let voice = try stage.table.play(Sound(reel.window))
    var room = [UInt8](repeating: 0, count: 20)
    var counted = 0
    for round in 0..<60 {
      reel.feed()
      if round % 7 == 0 { try stage.table.send(.seek(FrameCount(round * 20)), to: voice) }
      let before = allocations_of_this_thread()
      stage.render(into: &room)
      if round >= 10 { counted += allocations_of_this_thread() - before }
    }
    #expect(counted == 0)
  }
}
