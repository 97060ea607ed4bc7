import Foundation
import Support
import Testing

@Suite("A session as a process", .timeLimit(.minutes(10)))
struct SessionTests {
  private func process(of studio: Studio) throws -> Int {
    let recordings = try studio.json("status")["recordings"] as? [[String: Any]]
    return try #require(recordings?.first?["pid"] as? Int)
  }

  @Test("TERM, INT and QUIT save the file", arguments: ["TERM", "INT", "QUIT"])
  func signals(signal: String) throws {
    let studio = try Studio()
    try studio.run("start a.wav; captured 0.1")
    let process = try process(of: studio)
    let outcome = try studio.run("kill -\(signal) \(process); $recorder wait --json")
    #expect(outcome.code == 0)
    #expect(try parsed(outcome.output)["reason"] as? String == "stopped")
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.count > 4_000 && firstBreak(in: numbers) == nil)
  }

  @Test("A wait ends after --timeout, and the recording continues")
  func timeout() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q a.wav > log; "$recorder" wait --timeout 100ms; echo $?
      "$recorder" wait --timeout 0; echo $?; "$recorder" stop > log
      "$recorder" wait --timeout 0; echo $?
      start -q --duration 200ms b.wav > log; "$recorder" wait --timeout 1h | head -n 1
      """)
    let saved = "Saved \(studio.scratch.path("b.wav"))\n"
    #expect(outcome.output == "11\n11\n10\n" + saved, "\(outcome)")
    #expect(outcome.errors.contains("\"default\" is still recording"), "\(outcome)")
  }

  @Test("SIGHUP does not end the recording")
  func hangUp() throws {
    let studio = try Studio()
    try studio.run("start a.wav")
    let process = try process(of: studio)
    #expect(try studio.run("kill -HUP \(process); captured +0.2; $recorder pause").code == 0)
  }

  @Test("A killed session leaves a readable part, is reported, and blocks no later recording")
  func killed() throws {
    let studio = try Studio()
    try studio.run("start a.wav; captured 1")
    let process = try process(of: studio)
    try studio.run("kill -KILL \(process); ended \(process)")
    let interrupted = try studio.json("status")["interrupted"] as? [[String: Any]]
    #expect(interrupted?.first?["parts"] as? [String] == [studio.scratch.path(".a.wav.part")])
    #expect(try studio.run("cp .a.wav.part b.wav && $recorder info b.wav").code == 0)
    let numbers = Studio.ramp(try #require(try studio.soundBytes("b.wav")))
    #expect(numbers.count > 14_400 && firstBreak(in: numbers) == nil)
    #expect(try studio.run("start a.wav && captured 0.1 && $recorder stop").code == 0)
    #expect(try studio.run("$recorder info a-recovered.wav").code == 0)
    #expect(!(try studio.run("$recorder status").output.contains("interrupted")))
  }

  @Test(
    "It starts from everywhere: no streams, a substitution, cron's environment, none at all",
    arguments: [
      "start a.wav <&- >&-", "start a.wav > /dev/null 2>&1 < /dev/null", "x=$(start a.wav)",
      "env -i PATH=/usr/bin:/bin SHELL=/bin/sh HOME=\"$HOME\" XDG_RUNTIME_DIR=\"$XDG_RUNTIME_DIR\" "
        + "\"$recorder\" start -d test:ramp a.wav 9> held",
    ])
  func anywhere(line: String) throws {
    let studio = try Studio()
    #expect(try studio.run(line).code == 0)
    let process = try process(of: studio)
    let open = try studio.run("ls -l /proc/\(process)/fd").output
    #expect(!open.contains("held") && !open.contains("pipe:"))
    #expect(try studio.run("$recorder stop").code == 0)
  }

  @Test("A stop does not wait for a device that hangs, and the captured sound is kept")
  func hangingDevice() throws {
    let studio = try Studio()
    let pipe = studio.scratch.path("pipe")
    try studio.scratch.write(
      """
      </usr/share/alsa/alsa.conf>
      pcm.stuck {
        type file  slave.pcm { type null }  file "/dev/null"  infile "\(pipe)"  format raw
      }
      """, to: "asound.conf")
    // A reader of this pipe waits without end, because the pipe is held open and is empty.
    let outcome = try studio.run(
      """
      mkfifo pipe; exec 3<> pipe; head -c 400000 /dev/zero > pipe 3>&- &
      export ALSA_CONFIG_PATH="$HOME/asound.conf"
      "$recorder" start -d stuck a.wav 3>&-; code=$?
      stuck; timeout 8 "$recorder" stop 3>&-; echo "codes $code $?"
      """)
    #expect(outcome.output.contains("codes 0 14\n"), "\(outcome)")
    #expect(try studio.soundBytes("a.wav") != nil && studio.processes().isEmpty)
  }

  @Test("status --watch prints the state until its reader leaves")
  func watch() throws {
    let studio = try Studio()
    let outcome = try studio.run("start a.wav > /dev/null; $recorder status --watch | head -n 3")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 3 && outcome.code == 0)
    for line in lines {
      let recordings = try parsed(String(line))["recordings"] as? [[String: Any]]
      #expect(recordings?.first?["state"] as? String == "recording")
    }
  }

  @Test("A socket that was removed is created again")
  func vanishedSocket() throws {
    let studio = try Studio()
    try studio.run("start a.wav; rm -r $sockets; await [ -S $sockets/default.sock ]")
    #expect(try studio.run("$recorder stop").code == 0)
  }

  @Test("Only samples go to stdout, and the take ends with 0 if the reader leaves")
  func stream() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      { start -; echo $? > code; } 2> errors | head -c 100000 > a.raw; cat code
      start --duration 200ms - > b.raw; start --duration 200ms -f wav - > c.wav; ls $sockets
      """)
    #expect(outcome.output == "0\n")
    #expect(try studio.ramp("a.raw").elementsEqual(0..<25_000))
    #expect(try studio.ramp("b.raw").elementsEqual(0..<9_600))
    #expect(try studio.ramp("c.wav", header: 80).elementsEqual(0..<9_600))
  }
}

@Suite("A recording in the foreground", .timeLimit(.minutes(10)), .requires(tool: "setsid"))
struct ForegroundTests {
  @Test("A key or Ctrl-C stops and saves it", arguments: ["q", "\u{3}"])
  func stops(key: String) throws {
    let studio = try Studio()
    let terminal = try PseudoTerminal()
    let file = studio.scratch.path("a.wav")
    let child = try terminal.start(
      Products.recorder, ["start", "-d", "test:ramp", "--foreground", file],
      environment: studio.environment)
    #expect(try terminal.read(until: "REC ").contains("["))
    try terminal.type(" ")
    try terminal.read(until: "PAUSE")
    try terminal.type(" m")
    try terminal.read(until: "REC ")
    try terminal.type(key)
    // A path that is wider than the terminal continues on the next line.
    let shown = try terminal.read(until: "Reason").filter { !$0.isWhitespace }
    #expect(shown.contains("Saved\(file)"), "\(shown)")
    #expect(try child.wait() == .exited(0))
    let numbers = Studio.ramp(try #require(try studio.soundBytes("a.wav")))
    #expect(numbers.first == 0 && numbers.jumps.count == 1)
    #expect(try studio.run("$recorder stop").code == 10)
  }

  @Test("Without a terminal there is no meter, and the result is printed")
  func noTerminal() throws {
    let studio = try Studio()
    let outcome = try studio.run("start --foreground --duration 200ms a.wav")
    #expect(outcome.code == 0 && outcome.errors == "")
    #expect(outcome.output.hasPrefix("Saved \(studio.scratch.path)/a.wav\n"))
  }
}
