import Audio
import Control
import Decoding
import Devices
import Foundation
import Hosting
import Linux
import Playback
import Sounds
import Support
import Synchronization
import Testing

/// The ends and levels of a playback, in order.
private final class Listener: Sendable {
  private let heard = Mutex<[(play: Int, end: HostedEnd)]>([])
  private let told = Mutex<[VoiceLevels]>([])
  private let changed: Event

  init() throws { changed = try Event() }

  var ends: [HostedEnd] { heard.withLock { $0.map(\.end) } }
  /// The number of the play of each end.
  var plays: [Int] { heard.withLock { $0.map(\.play) } }
  var levels: [VoiceLevels] { told.withLock { $0 } }

  var handlers: HostedHandlers {
    var handlers = HostedHandlers()
    handlers.ended = { play, end in
      self.heard.withLock { $0.append((play, end)) }
      self.changed.signal()
    }
    handlers.levels = { levels in
      self.told.withLock { $0.append(levels) }
      self.changed.signal()
    }
    return handlers
  }

  /// Waits until a condition is true.
  func wait(_ condition: () -> Bool) throws {
    let deadline = KernelClock.monotonic.now + .seconds(20)
    while !condition() {
      try #require(KernelClock.monotonic.now < deadline, "it did not happen in 20 s")
      _ = try changed.descriptor.wait(upTo: .milliseconds(100))
      changed.clear()
    }
  }
}

/// Returns the error of a step that calls back, or nil if it succeeds.
private func outcome(
  _ step: (@escaping @Sendable (SoundError?) -> Void) -> Void
) throws -> SoundError? {
  let done = try Answer()
  step { done.set($0) }
  return try done.get()
}

/// Waits for a step that calls back.
private func finished(_ step: (@escaping @Sendable () -> Void) -> Void) throws {
  let done = try Answer()
  step { done.set(nil) }
  _ = try done.get()
}

private final class Answer: Sendable {
  private let there: Event
  private let value = Mutex<SoundError?>(nil)

  init() throws { there = try Event() }

  func set(_ error: SoundError?) {
    value.withLock { $0 = error }
    there.signal()
  }

  func get() throws -> SoundError? {
    try #require(try there.descriptor.wait(upTo: .seconds(20)), "no answer in 20 s")
    return value.withLock { $0 }
  }
}

/// Blocks a thread until it is opened.
private final class Gate: Sendable {
  private let event: Event

  init() throws { event = try Event() }
  func open() { event.signal() }
  func wait() { _ = try? event.descriptor.wait(upTo: .seconds(20)) }
}

/// Opens `test:null` and counts the openings. It can also make a player of a missing device.
private final class Rack: Sendable {
  let openings = Atomic(0)

  func player(_ change: (inout HostedPlayerSettings) -> Void = { _ in }) throws -> HostedPlayer {
    var settings = HostedPlayerSettings(device: "test:null")
    settings.decoder = nil
    settings.opener = { device, _, request throws(DeviceError) in
      self.openings.add(1, ordering: .relaxed)
      return try PlaybackDevice(device, request)
    }
    change(&settings)
    return try HostedPlayer(settings)
  }
}

/// Returns `frames` frames of a constant, mono at 48 kHz.
private func tone(_ frames: Int, _ value: Float = 0.25) -> PlaySource {
  .frames(
    PlayFrames([Float](repeating: value, count: frames), rate: .hz48000, channels: .mono))
}

private func files(of path: String) -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
}

@Suite("A hosted player", .timeLimit(.minutes(5)), .serialized)
struct HostedPlayerTests {
  private static let click = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Resources/Sounds/click.wav").path

  @Test("A sound plays to its end, which is reported once, and its device is opened once")
  func whole() throws {
    let (rack, listener) = (Rack(), try Listener())
    let player = try rack.player()
    let play = player.play(tone(4_800), listener.handlers)
    #expect(play.state == .stopped && play.position == .zero)
    let begun = KernelClock.monotonic.now
    #expect(try outcome { play.start($0) } == nil)
    #expect(play.state == .playing)
    try listener.wait { !listener.ends.isEmpty }
    #expect(KernelClock.monotonic.now - begun >= .milliseconds(100))
    #expect(listener.ends.map { "\($0)" } == ["finished"])
    #expect(play.state == .ended && play.position == .milliseconds(100))
    #expect(rack.openings.load(ordering: .relaxed) == 1)
    // A start after the end begins again, on the open device.
    #expect(try outcome { play.start($0) } == nil)
    try listener.wait { listener.ends.count == 2 }
    #expect(rack.openings.load(ordering: .relaxed) == 1)
  }

  @Test("A start after an end begins another play, and each end has the number of its play")
  func numbers() throws {
    let listener = try Listener()
    let player = try Rack().player()
    let play = player.play(tone(4_800), listener.handlers)
    #expect(play.start() == 1 && play.start() == 1)
    try finished { play.stop($0) }
    #expect(play.start() == 2)
    try listener.wait { listener.ends.count == 2 }
    #expect(listener.plays == [1, 2] && play.isAtEnd)
    #expect(play.start() == 3 && !play.isAtEnd)
    try listener.wait { listener.ends.count == 3 }
  }

  @Test("Pause holds the position, a start continues from there, and stop keeps it")
  func transport() throws {
    let listener = try Listener()
    let player = try Rack().player()
    let play = player.play(tone(480_000), listener.handlers)
    play.pause()
    #expect(play.state == .stopped)
    #expect(try outcome { play.start($0) } == nil)
    play.pause()
    try finished { play.whenSettled($0) }
    let held = play.position
    #expect(play.state == .paused)
    let other = player.play(tone(2_880), listener.handlers)
    #expect(try outcome { other.start($0) } == nil)
    try listener.wait { listener.ends.count == 1 }
    #expect(play.position == held)
    play.seek(to: .seconds(3))
    #expect(play.position == .seconds(3))
    try finished { play.whenSettled($0) }
    #expect(play.position == .seconds(3))
    #expect(try outcome { play.start($0) } == nil)
    play.seek(to: .seconds(5))
    #expect(play.position >= .seconds(5) && play.position < .seconds(6))
    try finished { done in play.stop { done() } }
    #expect(play.state == .stopped)
    #expect(play.position >= .seconds(5) && play.position < .seconds(6))
    #expect(listener.ends.map { "\($0)" } == ["finished", "stopped"])
    play.seek(to: .seconds(99))
    #expect(play.position == .seconds(10))
    #expect(try outcome { play.start($0) } == nil)
    try listener.wait { listener.ends.count == 3 }
    #expect(listener.ends.map { "\($0)" } == ["finished", "stopped", "finished"])
  }

  @Test("A start that is cancelled before the device opens gets its answer, and ends")
  func withdrawn() throws {
    let (listener, gate) = (try Listener(), try Gate())
    let player = try Rack().player {
      $0.opener = { device, _, request throws(DeviceError) in
        gate.wait()
        return try PlaybackDevice(device, request)
      }
    }
    let play = player.play(tone(480_000), listener.handlers)
    let started = try Answer()
    play.start { started.set($0) }
    try finished { done in play.stop(within: .milliseconds(150)) { done() } }
    #expect(try started.get() == nil)
    #expect(listener.ends.map { "\($0)" } == ["stopped"] && play.state == .stopped)
    play.start()
    play.pause()
    try finished { done in play.stop { done() } }
    #expect(listener.ends.map { "\($0)" } == ["stopped", "stopped"])
    gate.open()
    try finished { player.close($0) }
    #expect(listener.ends.count == 2)
  }

  @Test("Stop closes the device, and a start opens it again")
  func givesBack() throws {
    let rack = Rack()
    let player = try rack.player()
    let play = player.play(tone(480_000))
    for round in 1...3 {
      #expect(try outcome { play.start($0) } == nil)
      #expect(rack.openings.load(ordering: .relaxed) == round)
      try finished { done in play.stop(closing: true) { done() } }
    }
    // Another playback keeps the device open.
    let other = player.play(tone(480_000))
    #expect(try outcome { other.start($0) } == nil)
    #expect(try outcome { play.start($0) } == nil)
    try finished { done in play.stop(closing: true) { done() } }
    #expect(try outcome { play.start($0) } == nil)
    #expect(rack.openings.load(ordering: .relaxed) == 4)
  }

  @Test("A stop is answered although a call to the device does not return")
  func stuck() throws {
    let scratch = try ScratchDirectory()
    let (pipe, listener) = (scratch.path("speaker"), try Listener())
    #expect(mkfifo(pipe, 0o600) == 0)
    // The device cannot write once the pipe is full.
    let reader = try Descriptor(opening: pipe, .nonBlocking)
    let player = try Rack().player {
      $0.device = "tee:SLAVE='null',FILE='\(pipe)',FORMAT=raw"
      $0.patience = .seconds(3)
    }
    let play = player.play(tone(480_000), listener.handlers)
    play.start { _ in }
    try eventually {
      var held: CInt = 0
      return ioctl(reader.number, UInt(FIONREAD), &held) == 0 && held > 60_000
    }
    try finished { play.stop(closing: true, $0) }
    #expect(listener.ends.map { "\($0)" } == ["stopped"] && play.state == .stopped)
    // The device is closed once the pipe has been read.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    try listener.wait { (try? reader.readIfReady(into: &bytes)) == 0 }
  }

  @Test("A prepared sound has its device open, and a missing device is reported")
  func prepare() throws {
    let (rack, listener) = (Rack(), try Listener())
    let player = try rack.player()
    let play = player.play(tone(100), listener.handlers)
    #expect(try outcome { play.prepare($0) } == nil)
    #expect(try outcome { play.prepare($0) } == nil)
    #expect(rack.openings.load(ordering: .relaxed) == 1 && play.state == .stopped)
    let missing = try rack.player { $0.device = "test:nowhere" }
    let unheard = missing.play(tone(100), listener.handlers)
    guard case .unopened(device: "test:nowhere", _) = try outcome({ unheard.prepare($0) }) else {
      Issue.record("a device that is not there was prepared")
      return
    }
    #expect(listener.ends.isEmpty)
    #expect(try outcome { unheard.start($0) } != nil)
    #expect(unheard.state == .ended)
    #expect(listener.ends.count == 1)
  }

  @Test("A device that cannot be opened ends every play, with the reason")
  func lost() throws {
    let listener = try Listener()
    let player = try Rack().player {
      $0.opener = { device, _, _ throws(DeviceError) in
        throw .unknownBuiltIn(name: device, direction: .playback)
      }
    }
    let play = player.play(tone(100), listener.handlers)
    let other = player.play(tone(100), listener.handlers)
    other.start()
    #expect(try outcome { play.start($0) } != nil)
    try listener.wait { listener.ends.count == 2 }
  }

  @Test("The bytes of a file in memory give the same sound as the file")
  func memory() throws {
    let listener = try Listener()
    let player = try Rack().player()
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.click)))
    let file = PlayFile(Self.click)
    let memory = try PlayFile(bytes.span, named: "click")
    #expect(try SoundFacts(of: memory) == SoundFacts(of: file))
    for source in [PlaySource.file(file), .file(memory)] {
      let play = player.play(source, listener.handlers)
      #expect(try outcome { play.start($0) } == nil)
      try listener.wait { play.state == .ended }
    }
    #expect(listener.ends.map { "\($0)" } == ["finished", "finished"])
  }

  @Test("A file without sound and a missing file are reported at the start")
  func refused() throws {
    let scratch = try ScratchDirectory()
    let player = try Rack().player()
    let text = try PlayFile(Array("This is no sound, it is a text. ".utf8).span, named: "text")
    let missing = PlayFile(scratch.path("missing.wav"))
    for file in [text, missing] {
      let play = player.play(.file(file))
      guard case .unreadable = try outcome({ play.start($0) }) else {
        Issue.record("\(file.name) was played")
        return
      }
      #expect(throws: SoundError.self) { try SoundFacts(of: file) }
    }
  }

  @Test("A sound with a fault in the middle plays up to it, and its end has the reason")
  func broken() throws {
    let listener = try Listener()
    let player = try Rack().player { settings in
      settings.decoder = { try BrokenDecoder($0, $1, from: $2) }
    }
    let play = player.play(.file(PlayFile(Self.click)), listener.handlers)
    play.setRepeats(nil)
    #expect(try outcome { play.start($0) } == nil)
    try listener.wait { play.state == .ended }
    guard case .failed(.brokenOff(_, DecodingError.incomplete)) = listener.ends.first else {
      Issue.record("\(listener.ends)")
      return
    }
  }

  @Test("A long sound whose file has other samples after a seek ends, with the reason")
  func changed() throws {
    let listener = try Listener()
    let player = try Rack().player { settings in
      settings.decoder = { try ChangingDecoder($0, $1, from: $2) }
    }
    let play = player.play(.file(PlayFile(Self.click)), listener.handlers)
    #expect(try outcome { play.start($0) } == nil)
    play.seek(to: .seconds(50))
    try listener.wait { play.state == .ended }
    guard case .failed(.brokenOff(_, let problem as SoundProblem)) = listener.ends.first else {
      Issue.record("\(listener.ends)")
      return
    }
    #expect(problem.reason == "the file was changed while it was playing")
  }

  @Test("A long sound that rests for 10 s has no thread, and continues at any position")
  func resting() throws {
    func hasThread() -> Bool {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.contains { task in
        let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        return name == "feeding\n"
      }
    }
    let listener = try Listener()
    let player = try Rack().player { settings in
      settings.decoder = { try SilentDecoder($0, $1, from: $2) }
    }
    let play = player.play(.file(PlayFile(Self.click)), listener.handlers)
    #expect(try outcome { play.start($0) } == nil)
    try listener.wait { hasThread() }
    play.pause()
    try listener.wait { !hasThread() }
    play.seek(to: .seconds(1_800))
    #expect(try outcome { play.start($0) } == nil)
    try listener.wait { play.position > .seconds(1_801) }
    try finished { play.stop($0) }
  }

  @Test("Levels are reported 20 times a second while they are requested")
  func levels() throws {
    let listener = try Listener()
    let player = try Rack().player()
    let play = player.play(tone(480_000, 0.5), listener.handlers)
    play.setPan(-1)
    play.reportLevels(true)
    #expect(try outcome { play.start($0) } == nil)
    try listener.wait { listener.levels.count >= 5 }
    let last = try #require(listener.levels.last)
    #expect(last.count == 2)
    #expect(last.peak(of: 0) == 0.5 && abs(last.rms(of: 0) - 0.5) < 1e-3)
    #expect(last.peak(of: 1) == 0)
    try finished { done in play.stop { done() } }
  }

  @Test("A start at a given time plays then, and a sound that fades ends with its fade")
  func moment() throws {
    let listener = try Listener()
    let player = try Rack().player()
    let play = player.play(tone(480_000), listener.handlers)
    #expect(try outcome { play.prepare($0) } == nil)
    let moment = KernelClock.monotonic.now + .milliseconds(300)
    #expect(try outcome { play.start(at: moment, $0) } == nil)
    // The first frame is written early, by the length of the device's buffer: 40 ms and a period.
    let early = moment - KernelClock.monotonic.now
    #expect(early < .milliseconds(80))
    let fade = KernelClock.monotonic.now
    try finished { done in play.stop(within: .milliseconds(150)) { done() } }
    #expect(KernelClock.monotonic.now - fade >= .milliseconds(150))
    #expect(listener.ends.map { "\($0)" } == ["stopped"])
  }

  @Test("Plays that are started, stopped and dropped at random leave no resources")
  func storm() throws {
    let (rack, listener) = (Rack(), try Listener())
    let tasks = "/proc/self/task"
    let descriptors = "/proc/self/fd"
    var before = (0, 0)
    var random = SeededGenerator(seed: 1_000)
    for round in 0..<2 {
      var player: HostedPlayer? = try rack.player()
      for _ in 0..<500 {
        let play = try #require(player).play(
          tone(Int.random(in: 0...2_000, using: &random)), listener.handlers)
        play.start()
        switch Int.random(in: 0..<6, using: &random) {
        case 0: play.stop()
        case 1: play.stop(within: .milliseconds(Int.random(in: 1...20, using: &random)))
        case 2: play.seek(to: .milliseconds(Int.random(in: 0...60, using: &random)))
        case 3: play.pause()
        case 4: try finished { play.whenSettled($0) }
        default: play.setRepeats(nil)
        }
        if Int.random(in: 0..<20, using: &random) == 0 {
          // A different pause each time.
          KernelClock.sleep(.milliseconds(Int.random(in: 0...20, using: &random)))
        }
      }
      let last = try #require(player)
      // Sounds that still play end after at most one round. Then the device can be closed.
      try listener.wait {
        (try? finished { last.close($0) }) != nil && files(of: tasks) < 60
      }
      player = nil
      try listener.wait { files(of: descriptors) <= before.0 || round == 0 }
      if round == 0 {
        // The count includes threads that the process keeps for later, but not those that end soon.
        KernelClock.sleep(.milliseconds(300))
        before = (files(of: descriptors), files(of: tasks))
      }
    }
    try listener.wait {
      files(of: descriptors) <= before.0 && files(of: tasks) <= before.1
    }
  }

  @Test("An order that comes while the thread ends is answered")
  func lateOrders() throws {
    let play = try Rack().player().play(tone(1))
    for _ in 0..<100_000 { try finished { play.stop(closing: true, $0) } }
  }
}
