import Foundation
import Support
import Testing

@Suite("A command without a name", .timeLimit(.minutes(10)))
struct NamelessTests {
  static let commands = [
    "pause", "resume", "toggle", "mark x", "split", "trigger", "stop", "wait", "cancel",
  ]

  @Test("means the only recording, with any name", arguments: commands)
  func only(command: String) throws {
    let studio = try Studio()
    let length = command == "wait" ? "--duration 1s" : ""
    let outcome = try studio.run(
      "start --name talk \(length) a.wav > /dev/null; captured 0.1; $recorder \(command)")
    #expect(outcome.code == 0, "\(outcome)")
    let isOver = ["stop", "wait", "cancel"].contains(command)
    let left = try studio.json("status")["recordings"] as? [Any]
    #expect(left?.isEmpty == isOver)
  }

  @Test("means the recording \"default\" while that runs, or while its result is unread")
  func usual() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --name talk a.wav > /dev/null; start --duration 1s b.wav > /dev/null
      "$recorder" mark x; await [ -e b.wav ]
      "$recorder" stop; "$recorder" stop
      """)
    #expect(outcome.code == 0 && outcome.output.contains("Marked default"), "\(outcome)")
    let saved = outcome.output.split(separator: "\n").filter { $0.hasPrefix("Saved ") }
    #expect(saved.map { $0.suffix(5) } == ["b.wav", "a.wav"], "\(outcome)")
  }

  @Test("lists the recordings if there are several, and does nothing", arguments: commands)
  func several(command: String) throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start --name talk a.wav > /dev/null; start --name music b.wav > /dev/null
      "$recorder" \(command)
      """)
    #expect(outcome.code == 64, "\(outcome)")
    #expect(outcome.errors.contains("there are 2 recordings: \"music\" and \"talk\""))
    #expect(outcome.errors.contains("--all") == (command == "stop"))
    let named = command == "mark x" ? "mark --name music x" : command + " music"
    #expect(outcome.errors.contains("\"recorder \(named)\""), "\(outcome)")
    #expect((try studio.json("status")["recordings"] as? [Any])?.count == 2)
  }

  static let soundCommands = [
    "stop", "pause", "rewind", "replay", "seek 0.1", "volume 0.5", "mute", "unmute", "prepare",
  ]

  @Test("means the only sound that plays", arguments: soundCommands)
  func onlySound(command: String) throws {
    let theatre = try Theatre()
    let outcome = try theatre.run("play umbrella --loop --detach; sound \(command) --json")
    let sounds = try parsed(outcome.output)["sounds"] as? [[String: Any]]
    #expect(outcome.code == 0 && sounds?.first?["name"] as? String == "umbrella", "\(outcome)")
    let expected = ["stop": "stopped", "pause": "paused"][command] ?? "playing"
    #expect(sounds?.first?["state"] as? String == expected)
    try theatre.run("sound unmute umbrella; sound volume umbrella 1")
  }

  @Test("means the only playing sound, not a stopped one", arguments: ["mute", "rewind"])
  func stoppedSound(command: String) throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      """
      play souziki --loop --detach; play umbrella --loop --detach; sound stop souziki > rest
      sound \(command) --json
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let sounds = try parsed(outcome.output)["sounds"] as? [[String: Any]]
    #expect(sounds?.compactMap { $0["name"] as? String } == ["umbrella"], "\(outcome)")
    try theatre.run("sound unmute umbrella")
  }

  @Test("means the only paused sound")
  func resumed() throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      "play umbrella --loop --detach; play souziki --loop --detach; sound pause umbrella > rest; sound resume"
    )
    #expect(outcome.code == 0 && outcome.output.contains("umbrella"), "\(outcome)")
    #expect(!outcome.output.contains("souziki"))
  }

  @Test("lists the sounds if there are several, and does nothing", arguments: soundCommands)
  func severalSounds(command: String) throws {
    let theatre = try Theatre()
    let outcome = try theatre.run(
      "play umbrella --loop --detach; play souziki --loop --detach; sound \(command)")
    #expect(outcome.code == 64, "\(outcome)")
    #expect(outcome.errors.contains("there are 2 sounds: \"souziki\" and \"umbrella\""))
    let words = command.split(separator: " ")
    let named = ([words[0], "souziki"] + words.dropFirst()).joined(separator: " ")
    #expect(outcome.errors.contains("\"recorder sound \(named)"), "\(outcome)")
    let states = try theatre.status().values.compactMap { $0["state"] as? String }
    #expect(states == ["playing", "playing"])
    #expect(try theatre.run("sound stop --all").code == 0)
    let stopped = try theatre.status().values.compactMap { $0["state"] as? String }
    #expect(stopped == ["stopped", "stopped"])
  }

  @Test("succeeds if nothing plays, or asks for a name if it needs a sound")
  func nothing() throws {
    let theatre = try Theatre()
    for command in ["stop", "pause", "resume"] {
      #expect(try theatre.run("sound \(command)").output == "No sound is active.\n")
    }
    let outcome = try theatre.run("sound rewind")
    #expect(outcome.code == 10 && outcome.errors.contains("give the name of a sound"))
  }

  @Test("is explained in the same way for recordings and sounds")
  func words() throws {
    let help = try sh("\"$recorder\" stop --help; \"$recorder\" sound stop --help").output
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.contains(
        "Name of the recording; if omitted, \"default\", else the only recording"))
    #expect(words.contains("Name of the sound; if omitted, the only sound"))
  }
}
