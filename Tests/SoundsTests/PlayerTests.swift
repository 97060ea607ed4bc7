import Audio
import Control
import Decoding
import Devices
import Foundation
import Linux
import Playback
import Support
import Synchronization
import Testing

@testable import Sounds

@Suite("A player within the process", .timeLimit(.minutes(2)))
struct PlayerTests {
  private func order(_ name: String, path: String? = nil) -> PlayOrder {
    PlayOrder([WantedSound(name, path: path)], on: "test:null")
  }

  @Test("A bundled sound plays to its end, and its position is reported")
  func bundled() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    guard case .played(let result) = try player.wait(for: player.play(order("click"))) else {
      Issue.record("the sound was refused")
      return
    }
    #expect(result.sounds.map(\.reason) == [.ended])
    let status = player.status
    #expect(status.sounds.map(\.name) == ["click"] && status.sounds[0].state == .ended)
    #expect(status.devices.map(\.name) == ["test:null"])
    player.end()
    #expect(try scratch.read("memory/played.json").starts(with: Array("{".utf8)))
  }

  @Test("A play fails if a call to its device does not return")
  func stuck() throws {
    let scratch = try ScratchDirectory()
    let pipe = scratch.path("speaker")
    #expect(mkfifo(pipe, 0o600) == 0)
    // The device cannot write once the pipe is full.
    let reader = try Descriptor(opening: pipe, .nonBlocking)
    let player = try Player.stored(in: scratch) { $0.patience = .milliseconds(1_500) }
    let device = "tee:SLAVE='null',FILE='\(pipe)',FORMAT=raw"
    let answer = try player.wait(for: player.play(PlayOrder([WantedSound("alarm")], on: device)))
    if case .refused(.unanswered) = answer {} else { Issue.record("\(answer)") }
    #expect(player.status.devices.isEmpty && !player.isBusy)
    // The device is closed once the pipe has been read.
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while (try? reader.readIfReady(into: &bytes)) != 0 { try player.pass() }
  }

  @Test("A file of another program is decoded within the process")
  func file() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let answer = try player.wait(for: player.play(order("./click.wav", path: Player.click)))
    guard case .played(let result) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(result.sounds.map(\.reason) == [.ended])
  }

  @Test(
    "A device is opened for its first sound", arguments: [(1_999_999, 1), (2_000_000, 2)])
  func opening(size: Int, stretch: Int) throws {
    let scratch = try ScratchDirectory()
    let memory = try PrivateDirectory.make(at: scratch.path("memory"))
    let asked = Mutex<[DeviceRequest]>([])
    var settings = PlayerSettings(memory: memory.path, bundled: Player.resources)
    settings.opener = { device, _, request throws(DeviceError) in
      asked.withLock { $0.append(request) }
      return try PlaybackDevice(device, request)
    }
    let player = try Player(settings)
    var sound = order("raw", path: scratch.path("raw"))
    sound.sounds[0].raw = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int32)
    sound.volume = 0
    sound.waits = false
    try scratch.write(String(repeating: "\0", count: size), to: "raw")
    _ = try player.wait(for: player.play(sound))
    player.end()
    #expect(asked.withLock { $0.map(\.stretch) } == [stretch])
  }

  @Test("Samples without a header are decoded again for another rate")
  func raw() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let silence = String(repeating: "\0", count: 960)
    var sound = try order("raw", path: scratch.write(silence, to: "raw"))
    for (rate, length) in [(48_000, 10.0), (24_000, 20)] {
      sound.sounds[0].raw = StreamFormat(
        rate: try #require(SampleRate(rate)), channels: .mono, sample: .int16)
      guard case .played(let result) = try player.wait(for: player.play(sound)) else {
        Issue.record("the sound was refused")
        return
      }
      let duration = try #require(result.sounds[0].duration)
      #expect((duration / .milliseconds(1)).rounded() == length)
    }
  }

  @Test("The result also has the muted sounds of an order, in its order")
  func muted() throws {
    let scratch = try ScratchDirectory()
    var memory = try SoundStore(in: PrivateDirectory.make(at: scratch.path("memory")).path)
    try memory.mute("alarm", true)
    let player = try Player.stored(in: scratch)
    var order = order("alarm")
    order.sounds += ["click", "alarm", "click"].map { WantedSound($0) }
    guard case .played(let result) = try player.wait(for: player.play(order)) else {
      Issue.record("the sounds were refused")
      return
    }
    #expect(result.sounds.map(\.name) == ["alarm", "click", "alarm", "click"])
    #expect(result.sounds.map(\.reason) == [.muted, .ended, .muted, .ended])
  }

  @Test("A sound follows commands while it plays, and each answer has the result")
  func actions() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    var order = order("alarm")
    order.loops = true
    order.waits = false
    _ = try player.wait(for: player.play(order))
    let steps: [(PlayerVerb, PlaybackState)] = [
      (.pause, .paused), (.resume, .playing), (.seek, .playing), (.volume, .playing),
      (.mute, .playing), (.unmute, .playing), (.replay, .playing), (.rewind, .playing),
      (.stop, .stopped),
    ]
    for (verb, state) in steps {
      let request = SoundRequest(
        verb: verb, name: "alarm", position: .milliseconds(10), volume: 0.5)
      let answer = try player.wait(for: player.perform(request))
      guard case .done(let sounds) = answer else {
        Issue.record("\(verb): \(answer)")
        return
      }
      #expect(sounds.map(\.state) == [state], "\(verb)")
    }
    #expect(player.status.sounds.map(\.volume) == [0.5])
  }

  @Test("An unknown name and a missing device are reported as values")
  func refusals() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let unknown = #expect(throws: SoundError.self) { try player.play(order("clik")) }
    guard case .notFound(.unknown("clik", nearest: ["click"])) = unknown else {
      Issue.record("\(String(describing: unknown))")
      return
    }
    var missing = order("click")
    missing.device = "test:nowhere"
    let answer = try player.wait(for: player.play(missing))
    let expected = DeviceError.unknownBuiltIn(name: "test:nowhere", direction: .playback)
    guard case .refused(.unopened(device: "test:nowhere", let error)) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect("\(error)".hasPrefix(String("\(expected)".prefix(12))))
  }

  @Test("An abandoned play fades out, is forgotten and gets no answer")
  func abandoned() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    var endless = order("alarm")
    endless.loops = true
    let left = try player.play(endless)
    try player.run { $0.first?.state == .playing }
    player.abandon(left)
    try player.run { _ in !player.isBusy }
    #expect(player.status.sounds.isEmpty && player.takeAnswers().isEmpty)
  }
}
