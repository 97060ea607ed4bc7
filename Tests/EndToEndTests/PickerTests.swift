import Foundation
import Linux
import Support
import Testing

@Suite("Choosing takes in a window", .timeLimit(.minutes(10)), .requires(tool: "tmux"))
struct PickerWindowTests {
  /// Makes a home with takes of these names, the newest last.
  private func studio(_ names: [String] = ["talk", "song", "bird"]) throws -> Studio {
    let studio = try Studio()
    for name in names {
      let made = try studio.run(
        "$recorder start -q -d test:tone -n \(name) --duration 300ms \(name).wav && $recorder wait \(name)"
      )
      try #require(made.code == 0, "\(made)")
    }
    return studio
  }

  @Test(
    "Letters filter, Enter chooses, and the command runs with the file",
    arguments: ["show", "info"])
  func chooses(command: String) throws {
    let window = try TerminalWindow(try studio())
    try window.run("$recorder \(command)")
    // All thumbnails appear without a key.
    try window.wait { $0.components(separatedBy: "⠶⠶").count >= 4 }
    try window.type("ta")
    try window.wait { $0.contains("\(command): ta_") && !$0.contains("song.wav") }
    try window.press("Enter")
    let shown = try window.wait { $0.contains("talk.wav") && $0.hasSuffix("$") }
    #expect(!shown.contains { $0.contains("Enter chooses") }, "\(shown)")
  }

  @Test("A take that another program moved can be chosen")
  func moved() throws {
    let window = try TerminalWindow(try studio())
    try window.studio.run("mkdir d; mv talk.wav d/x.wav")
    try window.run("$recorder info")
    try window.wait { $0.contains("has moved to") && $0.contains("Enter chooses") }
    try window.type("x.wav")
    try window.wait { $0.contains("info: x.wav_") }
    try window.press("Enter")
    try window.wait { $0.contains("Container") && $0.hasSuffix("$") }
  }

  @Test("Escape and Ctrl-C change nothing", arguments: ["Escape", "C-c"])
  func cancelled(key: String) throws {
    let window = try TerminalWindow(try studio())
    try window.run("stty -g > before; $recorder play; echo code $?; stty -g > after")
    try window.wait { $0.contains("bird.wav") }
    try window.press("Down", key)
    let shown = try window.wait { $0.contains("code 130") && $0.hasSuffix("$") }
    #expect(!shown.contains { $0.contains("bird.wav") }, "\(shown)")
    #expect(try window.studio.run("cmp before after").code == 0)
  }

  @Test("Space plays the beginning of a take, and a second Space stops it")
  func preview() throws {
    let theatre = try Theatre()
    try theatre.studio.run("$recorder permission grant")
    try theatre.studio.run(
      "$recorder start -q -d test:tone --duration 8s talk.wav && $recorder wait")
    let path = theatre.scratch.path("talk.wav")
    let window = try TerminalWindow(theatre.studio)
    try window.run("$recorder play -d test:null; echo code $?")
    try window.wait { $0.contains("talk.wav") }
    try window.press("Space")
    #expect(try theatre.wait { $0[path]?["state"] as? String == "playing" })
    try window.wait { $0.contains("Space stops") }
    try window.press("Space")
    #expect(try theatre.wait { $0[path] == nil })
    // Leaving the list also stops it.
    try window.press("Space")
    #expect(try theatre.wait { $0[path]?["state"] as? String == "playing" })
    try window.press("Escape")
    try window.wait { $0.contains("code 130") }
    #expect(try theatre.wait { $0[path] == nil })
  }

  @Test("The list fits into 20 columns and 5 lines, and follows the size of the window")
  func small() throws {
    let window = try TerminalWindow(
      try studio(["one", "two", "three", "four", "five"]), columns: 20, rows: 5)
    try window.run("$recorder show --height 1")
    try window.wait { $0.contains("> 1") && $0.contains("five.wav") }
    try window.press("End")
    try window.wait { $0.contains("> 5") && $0.contains("one.wav") }
    try window.resize(columns: 80, rows: 24)
    let lines = try window.wait { $0.contains("> 5") && $0.contains("five.wav") }
    #expect(lines.count { $0.contains("show: _") } == 1, "\(lines)")
    try window.press("Enter")
    try window.wait { $0.contains("one.wav") && $0.hasSuffix("$") }
  }

  @Test("export also asks for the name of the new file")
  func export() throws {
    let window = try TerminalWindow(try studio())
    try window.run("$recorder export; echo code $?")
    try window.wait { $0.contains("bird.wav") }
    try window.press("Enter")
    try window.wait { $0.contains("write to: bird.flac_") }
    try window.press("Escape")
    try window.wait { $0.contains("song.wav") }
    try window.press("Down", "Enter")
    try window.wait { $0.contains("write to: song.flac_") }
    try window.press("C-u")
    try window.type("cut.ogg")
    try window.press("Enter")
    try window.wait { $0.contains("code 0") }
    #expect(try window.studio.soundBytes("cut.ogg") != nil)
  }

  @Test("Ctrl-C at the name of the file prints only that nothing was changed")
  func cancelledName() throws {
    let window = try TerminalWindow(try studio(["talk"]), columns: 40)
    try window.run("$recorder export; echo code $?")
    try window.wait { $0.contains("Esc cancels") }
    try window.press("Enter")
    try window.wait { $0.contains("write to: talk.flac_") }
    try window.press("C-c")
    let lines = try window.wait { $0.contains("code 130") }
    #expect(lines.contains { $0.contains("cancelled; nothing was changed") }, "\(lines)")
    #expect(!lines.contains { $0.contains("chosen") })
  }

  @Test("A take can be renamed, also to a name with a leading dash, and moved to the trash")
  func changes() throws {
    let window = try TerminalWindow(try studio())
    try window.run("$recorder rename; echo code $?")
    try window.wait { $0.contains("bird.wav") }
    try window.press("Down", "Enter")
    try window.wait { $0.contains("new name: song_") }
    try window.press("C-u")
    try window.type("-x")
    try window.press("Enter")
    try window.wait { $0.contains("to -x.wav") && $0.contains("code 0") }
    try window.run("clear; $recorder trash; echo code $?")
    try window.wait { $0.contains("bird.wav") && $0.contains("trash: _") }
    try window.press("Enter")
    try window.wait { $0.contains("to the trash") && $0.contains("code 0") }
    #expect(try window.studio.run("ls -- *.wav").output == "-x.wav\ntalk.wav\n")
    try window.run("clear; $recorder rename; echo code $?")
    try window.wait { $0.contains("bird.wav  (in the trash)") }
    try window.press("End", "Up", "Escape")
    try window.wait { $0.contains("code 130") }
  }

  @Test("100,000 takes are filtered while the user types", .requires("RECORDER_TEST_EVERY"))
  func many() throws {
    let studio = try studio(["needle"])
    try studio.run(
      """
      cd $state; line=$(cat takes.jsonl)
      yes "$(printf '%s' "$line" | sed 's/needle/straw/g')" | head -n 100000 > many
      cat takes.jsonl many > new; mv new takes.jsonl; rm many
      """, limit: .seconds(60))
    let window = try TerminalWindow(studio)
    try window.run("$recorder show")
    try window.wait(limit: .seconds(120)) { $0.contains("100001/100001") }
    try window.type("needle")
    try window.wait(limit: .seconds(60)) { $0.contains("1/100001") }
  }

  @Test(
    "Without a terminal, for JSON and on a dumb terminal, the operand is missed",
    arguments: [
      "play", "show", "info", "export", "export out.wav", "rename", "rename talk.wav", "trash",
    ])
  func usage(command: String) throws {
    let studio = try studio(["talk"])
    let outcome = try studio.run("$recorder \(command) < /dev/null")
    #expect(outcome.code == 64 && outcome.errors.contains("needs"), "\(outcome)")
    let window = try TerminalWindow(studio)
    for line in ["$recorder \(command) --json", "TERM=dumb $recorder \(command)"] {
      try window.run("clear; \(line); echo code $?")
      try window.wait { $0.contains("code 64") }
    }
  }

  @Test("Without takes there is nothing to choose")
  func empty() throws {
    let window = try TerminalWindow(try Studio())
    try window.run("$recorder show; echo code $?")
    try window.wait { $0.contains("no takes to choose from") && $0.contains("code 10") }
  }
}
