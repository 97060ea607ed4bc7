import Foundation
import Support
import Testing

@Suite("A player from before an upgrade", .timeLimit(.minutes(5)))
struct PlayerUpgradeTests {
  /// A script that copies the programs. For a player, other files with the same program are an
  /// upgrade.
  private let upgrade =
    "mkdir new; cp \"$recorder\" new/\n"

  private func player(_ theatre: Theatre) throws -> Int {
    let players = theatre.studio.processes()
    return try #require(players.count == 1 ? players[0] : nil)
  }

  @Test("It ends once it is idle, so that the next play starts a new one")
  func rests() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 4_800)
    #expect(try theatre.run(upgrade + "play ./a.wav").code == 0)
    let former = try player(theatre)
    let outcome = try theatre.run(
      """
      # A player rests once nothing has played for a second.
      n=0; while [ $n -lt 100 ] && kill -0 \(former); do
        new/recorder play ./a.wav --device test:null || exit; sleep 1.1; n=$((n + 1))
      done 2> /dev/null
      new/recorder play ./a.wav --device test:null
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let latter = try player(theatre)
    #expect(latter != former)
    #expect(try theatre.run("new/recorder play ./a.wav --device test:null").code == 0)
    #expect(try player(theatre) == latter)
  }

  @Test("It is not ended while a sound plays or is paused, and plays further sounds")
  func plays() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 4_800)
    try theatre.run(upgrade + "play umbrella --loop --detach")
    let former = try player(theatre)
    for state in ["playing", "paused"] {
      // This is longer than the idle time after which a player may end.
      if state == "paused" { try theatre.run("sound pause umbrella; sleep 1.2") }
      let outcome = try theatre.run("new/recorder play ./a.wav --device test:null")
      #expect(outcome.code == 0, "\(outcome)")
      #expect(try player(theatre) == former)
      #expect(try theatre.status()["umbrella"]?["state"] as? String == state)
    }
  }
}
