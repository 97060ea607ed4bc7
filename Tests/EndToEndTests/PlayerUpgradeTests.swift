import Foundation
import Support
import Testing

@Suite("A player that an upgrade left behind", .timeLimit(.minutes(5)))
struct PlayerUpgradeTests {
  /// Other files with the same program: to a player that is what an upgrade is.
  private let upgrade =
    "mkdir new; cp \"${recorder%/*}\"/recorder \"${recorder%/*}\"/recorder-engine new/\n"

  private func player(_ theatre: Theatre) throws -> Int {
    let players = theatre.studio.processes()
    return try #require(players.count == 1 ? players[0] : nil)
  }

  @Test("It makes room for the next play once it rests")
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

  @Test("It is not cut where it plays or holds a place, and plays what comes meanwhile")
  func plays() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 4_800)
    try theatre.run(upgrade + "play umbrella --loop --detach")
    let former = try player(theatre)
    for state in ["playing", "paused"] {
      // Longer than a player that may end has to rest.
      if state == "paused" { try theatre.run("sound pause umbrella; sleep 1.2") }
      let outcome = try theatre.run("new/recorder play ./a.wav --device test:null")
      #expect(outcome.code == 0, "\(outcome)")
      #expect(try player(theatre) == former)
      #expect(try theatre.status()["umbrella"]?["state"] as? String == state)
    }
  }
}
