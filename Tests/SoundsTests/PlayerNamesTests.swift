import Control
import Foundation
import Support
import Testing

@testable import Sounds

@Suite("The names that a player knows", .timeLimit(.minutes(2)))
struct PlayerNamesTests {
  private let click = [WantedSound("click")]

  @Test("Devices and environments that differ only in their bytes have different outputs")
  func keys() {
    let (composed, decomposed) = ("pipewire:NODE=\u{E9}", "pipewire:NODE=e\u{301}")
    #expect(OutputKey(composed, [:]) != OutputKey(decomposed, [:]))
    #expect(
      OutputKey("default", ["PIPEWIRE_NODE": composed])
        != OutputKey("default", ["PIPEWIRE_NODE": decomposed]))
    #expect(OutputKey(composed, ["LANG": "C"]) == OutputKey(composed, [:]))
  }

  @Test("Only 64 names are kept, and those of playing and paused sounds in any case")
  func most() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    _ = try player.wait(for: player.play(.silent([WantedSound("alarm")], loops: true).detached))
    _ = try player.wait(for: player.play(.silent([WantedSound("bell")], loops: true).detached))
    try player.carryOut(SoundRequest(verb: .pause, name: "bell"))
    for number in 0..<70 {
      let path = scratch.path("\(number).wav")
      try FileManager.default.copyItem(atPath: Player.click, toPath: path)
      try player.carryOut(SoundRequest(verb: .prepare, name: path, device: "test:null"))
    }
    player.advance()
    let sounds = player.status.sounds
    #expect(sounds.count == 64)
    #expect(sounds.prefix(2).map(\.state) == [.playing, .paused])
    #expect(sounds.dropFirst(2).first?.name == scratch.path("8.wav"))
  }

  @Test("A paused sound counts as playing for another play of its name")
  func paused() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    _ = try player.wait(for: player.play(.silent(click, loops: true).detached))
    try player.carryOut(SoundRequest(verb: .pause, name: "click"))
    let ignored = try player.outcome(of: player.play(.silent(click, .ignore)))
    #expect(ignored.sounds.map(\.reason) == [.ignored])
    let overlapping = try player.outcome(of: player.play(.silent(click, .overlap)))
    #expect(overlapping.sounds.map(\.reason) == [.ended])
    try player.run { $0.map(\.state) == [.paused] }
    let queued = try player.play(.silent(click, .queue))
    player.advance()
    #expect(player.status.sounds.map(\.state) == [.paused])
    #expect(player.status.sounds.map(\.queued) == [1])
    let resumed = try player.carryOut(SoundRequest(verb: .resume, name: "click"))
    #expect(resumed.map(\.playsLeft) == [nil] && resumed.map(\.queued) == [1])
    player.abandon(queued)
  }

  @Test("After the end of an overlapping play, commands address the earlier one")
  func overlapped() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    _ = try player.wait(for: player.play(.silent(click, loops: true).detached))
    _ = try player.outcome(of: player.play(.silent(click, .overlap)))
    try player.run { $0.map(\.state) == [.playing] }
    #expect(player.status.sounds.map(\.playsLeft) == [nil])
    let stopped = try player.carryOut(SoundRequest(verb: .stop, name: "click"))
    #expect(stopped.map(\.state) == [.stopped])
  }

  @Test("The status of a sequence has its next sound, and whether the sequence is looped")
  func sequence() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let names = ["umbrella", "souziki"].map { WantedSound($0) }
    _ = try player.wait(for: player.play(.silent(names, loops: true).detached))
    let looped = try #require(player.status.sounds.first)
    #expect(looped.name == "umbrella" && looped.playsLeft == nil && looped.next == "souziki")
    let stopped = try player.carryOut(SoundRequest(verb: .stop, name: "umbrella"))
    #expect(stopped.map(\.next) == [nil] && stopped.map(\.playsLeft) != [nil])
    _ = try player.wait(for: player.play(.silent(names.reversed()).detached))
    let once = try #require(player.status.sounds.first { $0.state == .playing })
    #expect(once.name == "souziki" && once.next == "umbrella" && once.playsLeft != nil)
  }

  @Test("A player with only a paused sound is not busy, also if another play waits for it")
  func quiet() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    _ = try player.wait(for: player.play(.silent(click, loops: true).detached))
    #expect(player.isBusy && !player.isPaused)
    try player.carryOut(SoundRequest(verb: .pause, name: "click"))
    #expect(!player.isBusy && player.isPaused)
    _ = try player.play(.silent(click, .queue).detached)
    player.advance()
    #expect(!player.isBusy && player.isPaused)
    try player.carryOut(SoundRequest(verb: .resume, name: "click"))
    #expect(player.isBusy && !player.isPaused)
  }
}
