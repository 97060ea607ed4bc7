import Foundation
import Audio
import Support
import Testing

@testable import Recording

/// A room with occasional sounds, as frames of two equal S16 samples.
struct Room: Sendable {
  /// The ranges of frames with a tone.
  var sounds: [Range<Int>]
  var rate: SampleRate = .hz48000
  /// The offset that the device adds to every sample.
  var offset = 0.0

  func frame(_ index: Int) -> UInt32 {
    let isHeard = sounds.contains { $0.contains(index) }
    let tone = sin(2 * Double.pi * 440 * Double(index) / Double(rate.hertz))
    let sample = Int16(32_767 * (offset + (isHeard ? 0.25 * tone : 0.0001 * tone)))
    let half = UInt32(UInt16(bitPattern: sample))
    return half | half << 16
  }
}

@Suite("A take that waits", .timeLimit(.minutes(10)))
struct VoiceTests {
  func settings(_ change: (inout VoiceSettings) -> Void) -> VoiceSettings {
    var settings = VoiceSettings()
    settings.preRoll = .milliseconds(100)
    change(&settings)
    return settings
  }

  func heard(
    _ room: Room, _ settings: VoiceSettings, frames: Int = 96_000, period: Int = 480
  ) throws -> Bench.Result {
    try Bench().run(
      Array(repeating: .deliver(period), count: frames / period), voice: settings,
      rate: room.rate, content: room.frame)
  }

  /// Expects these frames of the room. Windows lie on a grid, so the take may begin up to one
  /// window earlier.
  func expect(_ result: Bench.Result, isFrom room: Room, _ frames: Range<Int>) {
    let early = result.numbers.count - frames.count
    #expect((0..<480).contains(early))
    let first = frames.lowerBound - max(0, early)
    #expect(result.numbers == (first..<frames.upperBound).map(room.frame))
  }

  @Test(
    "begins with the frames before the sound, for any period of the device",
    arguments: [1, 7, 480, 4_800, 96_000])
  func startsOnSound(period: Int) throws {
    let room = Room(sounds: [48_000..<72_000])
    let frames = 96_000 / period * period
    let result = try heard(
      room, settings { $0.start = Decibels(-40) }, frames: frames, period: period)
    let first = 48_000 - 4_800
    #expect(result.numbers == (first..<frames).map(room.frame))
    #expect(result.progress.frames.discarded == FrameCount(first))
    #expect(result.progress.frames.early == FrameCount(first))
    #expect(result.progress.frames.captured == FrameCount(frames))
  }

  @Test("has the time of its first frame, not the time of its start")
  func time() throws {
    let result = try heard(Room(sounds: [48_000..<72_000]), settings { $0.start = Decibels(-40) })
    let began = try #require(result.files.first).segment.began
    // The first frame of the device is captured at 1,800,000,000 s.
    let waited = began.sinceEpoch - .seconds(1_800_000_000)
    let expected = FrameCount(48_000 - 4_800).duration(at: .hz48000)
    #expect((expected - .milliseconds(1)...expected + .milliseconds(1)).contains(waited))
    #expect(result.progress.triggered == began)
  }

  @Test("does not begin on a click, a hum or an offset")
  func clicks() throws {
    let click = Room(sounds: [30_000..<31_000], offset: 0.1)
    #expect(try heard(click, settings { $0.start = Decibels(-40) }).numbers.isEmpty)
  }

  @Test("keeps nothing if there was no sound")
  func nothing() throws {
    let result = try heard(Room(sounds: []), settings { $0.start = Decibels(-40) })
    #expect(result.numbers.isEmpty)
    #expect(result.progress.frames.discarded == 96_000)
    #expect(result.write == .captureEnded)
  }

  @Test("has its complete beginning if the sound begins at the first frame")
  func atOnce() throws {
    let room = Room(sounds: [0..<96_000])
    #expect(
      try heard(room, settings { $0.start = Decibels(-40) }).numbers
        == (0..<96_000).map(room.frame))
  }

  @Test("begins in the past when it is triggered")
  func trigger() throws {
    let bench = try Bench()
    let result = bench.run(
      [
        .deliver(10_000), .act { bench.order(.mark("before")) }, .deliver(10_000),
        .act { bench.edits.add(.begin, at: 20_000 - 4_800) }, .deliver(500),
        .act { bench.order(.mark("after")) }, .deliver(500),
      ], voice: settings { $0.isArmed = true })
    #expect(result.numbers == Array<UInt32>(15_201...21_000))
    #expect(
      result.events == [
        PositionedEvent(at: 0, .mark("before")), PositionedEvent(at: 5_300, .mark("after")),
      ])
  }

  @Test("ignores sounds while it is paused, and detects them afterwards")
  func pause() throws {
    let bench = try Bench()
    let room = Room(sounds: [10_000..<20_000, 60_000..<70_000])
    let result = bench.run(
      [.act { bench.order(.pause) }, .deliver(30_000), .act { bench.order(.resume) }]
        + Array(repeating: .deliver(480), count: 100),
      voice: settings { $0.start = Decibels(-40) }, content: room.frame)
    expect(result, isFrom: room, 55_200..<78_000)
  }

  @Test("ends after the requested silence, within 20 ms")
  func stopsOnSilence() throws {
    let room = Room(sounds: [0..<24_000, 36_000..<48_000])
    let result = try heard(room, settings { $0.silence = .milliseconds(500) })
    #expect(result.write == .silence)
    #expect((0...960).contains(result.numbers.count - 48_000 - 24_000))
  }

  @Test("ends despite a click in the silence")
  func clickInSilence() throws {
    let room = Room(sounds: [0..<24_000, 40_000..<40_300])
    let result = try heard(room, settings { $0.silence = .milliseconds(500) })
    #expect((0...960).contains(result.numbers.count - 48_000))
  }

  @Test(
    "ends after sound below the threshold, and a sound at the threshold is no silence",
    arguments: [(-50.0, false), ((-50.0).nextDown, true)])
  func thresholdBoundary(level: Double, isSilence: Bool) {
    var end = SilenceEnd(below: Decibels(-50), for: .milliseconds(100))
    let ends = (0..<20).map { _ in end.add(Decibels(level)) }
    #expect(ends.contains(true) == isSilence)
  }

  @Test("counts a loss before its beginning, and does not fill it")
  func gaps() throws {
    let room = Room(sounds: [60_000..<70_000])
    let result = try Bench().run(
      [.deliver(20_000), .lose(5_000, then: 20_000)]
        + Array(repeating: .deliver(500), count: 60),
      voice: settings { $0.start = Decibels(-40) }, content: room.frame)
    let frames = result.progress.frames
    #expect(frames.lost == 5_000)
    #expect(frames.filled == 0)
    #expect(frames.elapsed == 75_000)
    let gap = Gap(position: 0, length: 5_000, cause: .overrun)
    #expect(result.events == [PositionedEvent(at: 0, .gap(gap, isFilled: false))])
    expect(result, isFrom: room, 55_200..<75_000)
  }
}
