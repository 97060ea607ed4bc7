import Control
import Devices
import Foundation
import Linux
import Support
import Testing

@testable import Sounds

@Suite("Stopping sounds of a player", .timeLimit(.minutes(2)))
struct PlayerStopTests {
  /// Copies a short sound into a file.
  private func file(
    _ name: String, in scratch: borrowing ScratchDirectory
  ) throws -> WantedSound {
    try FileManager.default.copyItem(atPath: Player.click, toPath: scratch.path(name))
    return .file(scratch.path(name))
  }

  /// The names in a stop of a file: none for all sounds, its path, and the end of its path.
  static let names = [nil, "/", ""]

  private func request(_ verb: PlayerVerb, _ name: String?, of path: String) -> SoundRequest {
    let last = URL(filePath: path).lastPathComponent
    return SoundRequest(verb: verb, name: name.map { $0.isEmpty ? last : path })
  }

  @Test("A stop ends a play whose device is not open yet", arguments: names)
  func opening(name: String?) throws {
    let scratch = try ScratchDirectory()
    let gate = Gate()
    defer { gate.open() }
    let player = try Player.stored(in: scratch) { settings in
      settings.opener = { device, _, request throws(DeviceError) in
        gate.pass()
        return try PlaybackDevice(device, request)
      }
    }
    let sound = try file("a.wav", in: scratch)
    let waiting = try player.play(.silent([sound], loops: true))
    _ = try player.play(.silent([sound], loops: true).detached)
    #expect(player.status.sounds.map(\.name) == [sound.name])
    #expect(player.status.sounds.map(\.queued) == [2])
    _ = try player.perform(request(.stop, name, of: sound.name))
    #expect(try player.outcome(of: waiting).sounds.map(\.reason) == [.stopped])
    gate.open()
    let other = try player.outcome(of: player.play(.silent([WantedSound("click")])))
    #expect(other.sounds.map(\.reason) == [.ended])
    #expect(player.status.sounds.map(\.name) == ["click"] && !player.isBusy)
  }

  @Test("A stop ends a play between two of its sounds", arguments: names)
  func between(name: String?) throws {
    let scratch = try ScratchDirectory()
    let gate = Gate()
    defer { gate.open() }
    let player = try Player.stored(in: scratch, decodingAfter: gate)
    let second = try file("b.wav", in: scratch)
    let play = try player.play(.silent([WantedSound("click"), second]))
    try player.run { sounds in sounds.contains { $0.name == second.name } }
    try gate.awaitArrival()
    _ = try player.perform(request(.stop, name, of: second.name))
    #expect(try player.outcome(of: play).sounds.map(\.reason) == [.ended, .stopped])
  }

  @Test("A stop ends a replay whose sound is still loading")
  func replay() throws {
    let scratch = try ScratchDirectory()
    let gate = Gate()
    defer { gate.open() }
    let player = try Player.stored(in: scratch, decodingAfter: gate)
    let sound = try file("a.wav", in: scratch)
    _ = try player.perform(SoundRequest(verb: .replay, name: sound.name, device: "test:null"))
    try player.run { _ in !player.status.devices.isEmpty }
    try gate.awaitArrival()
    try player.carryOut(SoundRequest(verb: .stop))
    try player.run { _ in !player.isBusy }
    #expect(player.status.sounds.isEmpty)
  }

  @Test("The end of a file's path means the file, although the library has a shortened name")
  func shortened() throws {
    let scratch = try ScratchDirectory()
    let player = try Player.stored(in: scratch)
    let sound = try file("click-2.wav", in: scratch)
    _ = try player.wait(for: player.play(.silent([sound], loops: true).detached))
    let stopped = try player.carryOut(SoundRequest(verb: .stop, name: "click-2.wav"))
    #expect(stopped.map(\.name) == [sound.name] && stopped.map(\.state) == [.stopped])
  }
}
