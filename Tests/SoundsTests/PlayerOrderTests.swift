import Audio
import Control
import Foundation
import Linux
import Support
import Testing

@testable import Sounds

@Suite("The sounds of an order", .timeLimit(.minutes(2)))
struct PlayerOrderTests {
  private let two = [WantedSound("click"), WantedSound("tick")]

  @Test("A mute skips a play whose sound is still loading")
  func mutedWhileLoading() throws {
    let scratch = try ScratchDirectory()
    let gate = Gate()
    defer { gate.open() }
    let player = try Player.stored(in: scratch, decodingAfter: gate)
    let play = try player.play(.silent([.file(Player.click)]))
    try gate.awaitArrival()
    _ = try player.perform(SoundRequest(verb: .mute, name: Player.click))
    gate.open()
    #expect(try player.outcome(of: play).sounds.map(\.reason) == [.muted])
  }

  @Test("A pause and a seek reach a play whose sound is still loading")
  func pausedWhileLoading() throws {
    let scratch = try ScratchDirectory()
    let gate = Gate()
    defer { gate.open() }
    let player = try Player.stored(in: scratch, decodingAfter: gate)
    let alarm = Player.resources + "/Sounds/alarm.wav"
    let play = try player.play(.silent([.file(alarm)]))
    try gate.awaitArrival()
    try player.carryOut(SoundRequest(verb: .pause, name: alarm))
    try player.carryOut(SoundRequest(verb: .seek, name: alarm, position: .milliseconds(500)))
    gate.open()
    try player.run { $0.first?.state == .paused }
    let position = try #require(player.status.sounds.first?.position)
    #expect(position >= .milliseconds(500) && position < .milliseconds(600))
    try player.carryOut(SoundRequest(verb: .resume, name: alarm))
    #expect(try player.outcome(of: play).sounds.map(\.reason) == [.ended])
  }

  @Test("A resume before a play has begun ends its pause")
  func resumedWhileLoading() throws {
    let scratch = try ScratchDirectory()
    let gate = Gate()
    defer { gate.open() }
    let player = try Player.stored(in: scratch, decodingAfter: gate)
    let play = try player.play(.silent([.file(Player.click)]))
    try gate.awaitArrival()
    try player.carryOut(SoundRequest(verb: .pause))
    try player.carryOut(SoundRequest(verb: .resume, name: Player.click))
    gate.open()
    #expect(try player.outcome(of: play).sounds.map(\.reason) == [.ended])
  }

  @Test("A mute skips the later sounds of a sequence, and ends it if all sounds are muted")
  func mutedInSequence() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let once = try player.play(.silent(two))
    try player.carryOut(SoundRequest(verb: .mute, name: "tick"))
    #expect(try player.outcome(of: once).sounds.map(\.reason) == [.ended, .muted])
    _ = try player.play(.silent(two, loops: true))
    try player.run { $0.first?.state == .playing }
    try player.carryOut(SoundRequest(verb: .mute, name: "click"))
    try player.run { _ in !player.isBusy }
    let muted = try player.outcome(of: player.play(.silent(two)))
    #expect(muted.sounds.map(\.reason) == [.muted, .muted])
  }

  @Test(
    "A replay of a sound that was not played yet uses its stored mute", arguments: [true, false])
  func replayed(isMuted: Bool) throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    if isMuted { try player.carryOut(SoundRequest(verb: .mute, name: "start")) }
    try player.carryOut(SoundRequest(verb: .replay, name: "start", device: "test:null"))
    var isHeard = false
    try player.run { sounds in
      isHeard = isHeard || sounds[0].peak > Decibels(-100)
      return sounds[0].state == .ended
    }
    #expect(isHeard == !isMuted)
  }

  @Test("A prepared sound has its stored volume, or else the usual one", arguments: [nil, 0.25])
  func volume(stored: Double?) throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    if let stored {
      try player.carryOut(SoundRequest(verb: .volume, name: "tick", volume: stored))
    }
    let sounds = try player.carryOut(
      SoundRequest(verb: .prepare, name: "tick", device: "test:null", usualVolume: 0.5))
    #expect(sounds.map(\.volume) == [stored ?? 0.5])
  }

  @Test("A play ends although its sound is moved right after its end")
  func movedAfterEnd() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let play = try player.play(.silent([WantedSound("alarm")]))
    try player.run { $0.first?.state == .playing }
    try player.carryOut(SoundRequest(verb: .pause, name: "alarm"))
    try player.carryOut(SoundRequest(verb: .seek, name: "alarm", position: .seconds(60)))
    // Both commands reach the voice together: it ends, and moves back.
    _ = try player.perform(SoundRequest(verb: .resume, name: "alarm"))
    _ = try player.perform(SoundRequest(verb: .rewind, name: "alarm"))
    #expect(try player.outcome(of: play).sounds.map(\.reason) == [.ended])
  }

  @Test("A cooldown does not end a sequence after its first round")
  func cooldown() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    var order = PlayOrder.silent(two)
    (order.times, order.cooldown) = (2, .seconds(3_600))
    #expect(try player.outcome(of: player.play(order)).sounds.map(\.reason) == [.ended, .ended])
    order.sounds.reverse()
    #expect(try player.outcome(of: player.play(order)).sounds.map(\.reason) == [.ignored])
  }

  @Test("An order of many files keeps only one of them open")
  func manyFiles() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    let sounds = [WantedSound](repeating: .file(Player.click), count: 1_000)
    let play = try player.play(.silent(sounds))
    let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    // Other tests open files meanwhile.
    #expect(after - before < 500)
    _ = try player.perform(SoundRequest(verb: .stop))
    #expect(try player.outcome(of: play).isDisplaced)
  }

  @Test("A file of another process is played again after that process has ended")
  func descriptor() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    var file: Descriptor? = try Descriptor(opening: Player.click)
    let pipe = WantedSound("-", path: file?.ownPath)
    var order = PlayOrder.silent([pipe, WantedSound("click")])
    order.times = 2
    let play = try player.play(order)
    file = nil
    #expect(try player.outcome(of: play).sounds.map(\.reason) == [.ended, .ended])
  }

  @Test("The path of a file is sent once, and another name is kept")
  func path() throws {
    let file = WantedSound.file("/a.wav")
    #expect(file.json.encoded() == #"{"path":"/a.wav"}"#)
    let sounds = [file, WantedSound("-", path: "/proc/1/fd/5"), WantedSound("click")]
    #expect(sounds.compactMap { WantedSound(json: $0.json) } == sounds)
    #expect(WantedSound(json: [:]) == nil)
  }
}
