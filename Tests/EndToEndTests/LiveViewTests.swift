import Foundation
import Linux
import Support
import Testing

@Suite("Live views in a terminal window", .timeLimit(.minutes(10)), .requires(tool: "tmux"))
struct LiveWindowTests {
  @Test("A recording in the foreground follows the size of the window, and clears its view")
  func recording() throws {
    let window = try TerminalWindow(try Studio())
    // The window is full, as it is after some commands.
    try window.run(
      "seq 60; stty -g > before; $recorder start -d test:tone --foreground a.wav; stty -g > after")
    let wide = try window.wait { $0.contains("\n2 [####") && $0.contains("written ") }
    #expect(wide.contains { $0.hasPrefix("1 [####") } && wide.contains { $0.hasPrefix("2 [####") })
    #expect(wide.contains { $0.contains("-60 ") && $0.contains(" -10 ") })
    for (columns, rows) in [(40, 24), (20, 5), (200, 50), (60, 4), (80, 24)] {
      try window.resize(columns: columns, rows: rows)
      let isLine = columns < 40 || rows < 4
      // There is one view, and nothing is left of the one before.
      try window.wait { text in
        let lines = text.split(separator: "\n")
        return lines.count { $0.contains("REC") } == 1
          && lines.count { $0.hasPrefix("2 [####") } == (isLine ? 0 : 1)
      }
    }
    try window.press("q")
    let end = try window.wait { $0.contains("Saved") && $0.hasSuffix("$") }
    #expect(!end.contains { $0.contains("[###") || $0.contains("written ") }, "\(end)")
    #expect(try window.studio.run("cmp before after").code == 0)
  }

  @Test("A take with tracks has a bar for each, also in the watched status", arguments: [40, 80])
  func tracks(columns: Int) throws {
    let window = try TerminalWindow(try Studio(), columns: columns)
    try window.run(
      "$recorder start --track mic=test:tone --track far=test:silence --foreground a.wav")
    try window.wait { $0.contains("\nmic [####") && $0.contains("\nfar [   ") }
    try window.press("C-z")
    try window.wait { $0.contains("Stopped") && $0.hasSuffix("$") }
    try window.run("clear; $recorder status --watch")
    try window.wait { $0.contains("\nmic [####") && $0.contains("\nfar [   ") }
    try window.press("q")
    try window.wait { $0.hasSuffix("$") }
    #expect(try window.studio.run("$recorder stop -q").code == 0)
  }

  @Test("Ctrl-Z returns the terminal while the recording continues, and fg shows it again")
  func leftTerminal() throws {
    let window = try TerminalWindow(try Studio(), columns: 60)
    func frames() throws -> Int {
      let list = try window.studio.json("status")["recordings"] as? [[String: Any]]
      return try #require((list?.first?["frames"] as? [String: Any])?["captured"] as? Int)
    }
    try window.run("stty -g > before; $recorder start -d test:ramp --foreground a.wav")
    try window.wait { $0.contains("REC") && $0.contains("q stops") }
    try window.press("C-z")
    let lines = try window.wait { $0.contains("Stopped") && $0.hasSuffix("$") }
    let text = lines.joined(separator: " ")
    #expect(text.contains("is in the background now"), "\(lines)")
    #expect(!text.contains("written "), "\(lines)")
    try window.run("clear; stty -g > after; echo in$((1))front")
    try window.wait { $0.contains("in1front") }
    #expect(try window.studio.run("cmp before after").code == 0)
    let before = try frames()
    #expect(try comesTrue(within: .seconds(30)) { try frames() > before })
    #expect(try !window.lines().contains { $0.contains("REC") })
    try window.run("clear; fg")
    try window.wait { $0.contains("REC") }
    try window.press("q")
    try window.wait { $0.contains("Saved") && $0.hasSuffix("$") }
    let numbers = Studio.ramp(try #require(try window.studio.soundBytes("a.wav")))
    #expect(!numbers.isEmpty && firstBreak(in: numbers) == nil)
  }

  @Test("The view of a take to a pipe is removed before the next program prints its result")
  func pipe() throws {
    let window = try TerminalWindow(try Studio())
    try window.run("$recorder start -d test:tone - --duration 3s | wc -c; echo code $?")
    try window.wait { $0.contains("REC") }
    let end = try window.wait { $0.contains("\ncode 0") }
    #expect(end.contains { Int($0) != nil } && !end.contains { $0.contains("REC") }, "\(end)")
    let count = try #require(end.lastIndex { Int($0) != nil })
    #expect(end[count + 1] == "code 0", "\(end)")
  }

  @Test("The progress of an export to a pipe is removed before the next program prints")
  func exportToPipe() throws {
    let window = try TerminalWindow(try Studio())
    try window.studio.run("sox -D -R -n -r 48000 -c 8 -b 16 long.wav synth 180 whitenoise")
    try window.run("$recorder export long.wav - -f flac | (head -c 4; echo; cat > all); echo done")
    try window.wait { $0.contains("Exporting: ") }
    let end = try window.wait { $0.contains("\ndone") }
    #expect(end.contains("fLaC") && !end.contains { $0.contains("Exporting: ") }, "\(end)")
  }

  @Test("After Ctrl-Z, fg exits with the code of the recording")
  func leftEnd() throws {
    let window = try TerminalWindow(try Studio())
    try window.run("$recorder start -d test:tone --foreground --name left a.wav; echo code $?")
    try window.wait { $0.contains("REC") }
    try window.press("C-z")
    try window.wait { $0.contains("recorder stop left") && $0.contains("Stopped") }
    #expect(try window.studio.run("$recorder stop left").code == 0)
    try window.run("clear; fg; echo again $?")
    try window.wait { $0.contains("again 0") }
  }

  @Test("After Ctrl-Z, a stop in the same terminal prints the result once")
  func leftAndStopped() throws {
    let window = try TerminalWindow(try Studio())
    try window.run("$recorder start -d test:tone --foreground --name left a.wav")
    try window.wait { $0.contains("REC") }
    try window.press("C-z")
    try window.wait { $0.contains("Stopped") && $0.hasSuffix("$") }
    try window.run("clear; $recorder stop left; fg; echo again $?")
    let lines = try window.wait { $0.contains("again 0") }
    #expect(lines.count { $0.hasPrefix("Saved") } == 1, "\(lines)")
  }

  @Test("A question mark shows the keys of a recording", arguments: [40, 80])
  func keys(columns: Int) throws {
    let window = try TerminalWindow(try Studio(), columns: columns)
    try window.run("$recorder start -d test:tone --foreground a.wav")
    try window.wait { $0.contains("q stops, space pauses") }
    try window.type("?")
    try window.wait { $0.contains("m marks") && $0.contains("Ctrl-Z continues") }
    try window.type("q")
    try window.wait { $0.contains("Saved") }
  }

  @Test("status --watch fits into every window, with several recordings")
  func watched() throws {
    let window = try TerminalWindow(try Studio(), columns: 80, rows: 24)
    for name in ["one", "two", "three"] {
      try window.studio.run("$recorder start -d test:tone -n \(name) \(name).wav")
    }
    try window.run("$recorder status --watch")
    let whole = try window.wait { text in
      ["one", "two", "three"].allSatisfy { text.contains("\($0)  REC") }
    }
    #expect(whole.count { $0.contains("] ") } == 6, "\(whole)")
    try window.resize(columns: 20, rows: 5)
    try window.wait { text in ["one", "two", "three"].allSatisfy { text.contains("\($0) REC") } }
    // The view continues after one of the recordings ends, even if it is killed.
    let process =
      try #require(try window.studio.json("status")["recordings"] as? [[String: Any]])
      .first { $0["name"] as? String == "two" }?["pid"] as? Int
    try Signal.kill.send(to: Int32(try #require(process)))
    try window.resize(columns: 80, rows: 24)
    try window.wait { $0.contains("two: interrupted") && $0.contains("one  REC") }
    try window.press("q")
    try window.wait { $0.hasSuffix("$") }
  }

  @Test("The view and the status show the end of a grant and the levels of each channel")
  func facts() throws {
    let studio = try Studio(granting: false)
    let started = try studio.run(
      "$recorder permission grant --for 1h; $recorder start -d test:tone a.wav")
    let words = started.output.split { $0.isWhitespace }.joined(separator: " ")
    let grant = try #require(words.firstMatch(of: /until ([0-9-]+ [0-9:]+)/), "\(started)")
    #expect(words.contains("ends at \(grant.1), when the permission expires"), "\(started)")
    let window = try TerminalWindow(studio)
    try window.run("$recorder status --watch")
    try window.wait { text in
      ["allowed until", "free ", "\n2 [####"].allSatisfy { text.contains($0) }
    }
    let status = try #require(
      (try studio.json("status")["recordings"] as? [[String: Any]])?.first)
    #expect((status["accessUntil"] as? String)?.hasSuffix("Z") == true)
    #expect(status["totalClipped"] as? Int == 0 && (status["freeBytes"] as? Int ?? 0) > 0)
    let levels = status["levels"] as? [[String: Any]] ?? []
    #expect(levels.count == 2 && levels.allSatisfy { abs(($0["peak"] as? Double ?? 0) + 20) < 0.1 })
    // After the end, the watch shows the same as the status.
    try studio.run("$recorder stop")
    try window.wait {
      $0.contains("Nothing is being recorded.") && $0.contains("\"default\" ended ")
    }
  }

  @Test("The view of the sounds shows a position, a level and a volume")
  func sounds() throws {
    let theatre = try Theatre()
    try theatre.ramp("talk.wav", frames: 48_000 * 20)
    try theatre.run("play --detach --loop ./talk.wav; sound volume ./talk.wav 0.5")
    let window = try TerminalWindow(theatre.studio)
    try window.run("$recorder sound status --watch")
    let lines = try window.wait { $0.contains("talk.wav  PLAY") && $0.contains("volume 50%") }
    #expect(
      lines.contains { $0.hasPrefix("position [") } && lines.contains { $0.hasPrefix("level ") })
    try window.resize(columns: 20, rows: 5)
    try window.wait { $0.contains("PLAY") && !$0.contains("volume") }
    try window.press("q")
    try window.wait { $0.hasSuffix("$") }
  }

  @Test("Keys pause, seek and stop a file that plays, and change its volume")
  func play() throws {
    let theatre = try Theatre()
    try theatre.ramp("talk.wav", frames: 48_000 * 25)
    let path = theatre.scratch.path("talk.wav")
    func state() throws -> [String: Any] { try theatre.status()[path] ?? [:] }
    let window = try TerminalWindow(theatre.studio)
    try window.run("$recorder play -d test:null ./talk.wav; echo code $?")
    try window.wait { $0.contains("talk.wav PLAY") }
    try window.type(" ")
    try window.wait { $0.contains("talk.wav PAUSE") }
    let place = try #require(try state()["position"] as? Double)
    try window.press("Right")
    #expect(try theatre.wait { abs(($0[path]?["position"] as? Double ?? 0) - place - 5) < 0.01 })
    try window.press("Right", "Left")
    #expect(try theatre.wait { abs(($0[path]?["position"] as? Double ?? 0) - place - 5) < 0.01 })
    try window.press("Down", "Down", "Up")
    #expect(try theatre.wait { abs(($0[path]?["volume"] as? Double ?? 0) - 0.95) < 0.001 })
    try window.wait { $0.contains("volume 95%") }
    try window.type(" ")
    try window.wait { $0.contains("talk.wav PLAY") }
    try window.type("q")
    let end = try window.wait { $0.contains("code 0") }
    #expect(!end.contains { $0.contains("PLAY") }, "\(end)")
    #expect(try theatre.wait { $0[path]?["state"] as? String != "playing" })
  }

  @Test("A play in the background draws nothing, and its keys work after fg")
  func broughtToTheFront() throws {
    let theatre = try Theatre()
    try theatre.ramp("talk.wav", frames: 48_000 * 25)
    let path = theatre.scratch.path("talk.wav")
    let window = try TerminalWindow(theatre.studio)
    try window.run("$recorder play -d test:null ./talk.wav &")
    #expect(try theatre.wait { $0[path]?["state"] as? String == "playing" })
    try window.run("echo in front")
    #expect(try !window.wait { $0.contains("\nin front") }.contains { $0.contains("PLAY") })
    try window.run("fg")
    try window.wait { $0.contains("talk.wav PLAY") }
    try window.type(" ")
    try window.wait { $0.contains("talk.wav PAUSE") }
    try window.type("q")
    try window.wait { $0.hasSuffix("$") && !$0.contains("PAUSE") }
    #expect(try theatre.wait { $0[path] == nil })
  }

  @Test(
    "Ctrl-Z pauses a file that is played; Escape ends it, and Ctrl-C does",
    arguments: ["Escape", "C-c"])
  func ends(key: String) throws {
    let theatre = try Theatre()
    try theatre.ramp("talk.wav", frames: 48_000 * 25)
    let path = theatre.scratch.path("talk.wav")
    let window = try TerminalWindow(theatre.studio)
    try window.run("$recorder play -d test:null ./talk.wav")
    try window.wait { $0.contains("talk.wav PLAY") }
    try window.press("C-z")
    try window.wait { $0.contains("Stopped") }
    #expect(try theatre.wait { $0[path]?["state"] as? String == "paused" })
    try window.run("fg")
    try window.wait { $0.contains("talk.wav PLAY") }
    try window.press(key)
    try window.wait { $0.hasSuffix("$") && !$0.contains("PLAY") }
    try window.run("echo code $?")
    try window.wait { $0.contains(key == "C-c" ? "code 130" : "code 0") }
    #expect(try theatre.wait { $0[path]?["state"] as? String != "playing" })
  }
}
