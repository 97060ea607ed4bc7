import Foundation
import Linux
import Support
import Testing

/// `guard on` and `guard off` with replaced programs in the search path: a `systemctl` that only
/// lists its calls, and a sound server that only prints its version.
@Suite("Turning the guard on and off", .timeLimit(.minutes(5)))
struct GuardSwitchTests {
  /// Functions for scripts. `server` installs versions of PipeWire and WirePlumber, and `systemd`
  /// the other program. `turn` calls a command of the guard. `files` lists the files for the server
  /// and systemd. `own FILE RESOURCE` compares a written file with an installed one. `$guard` is the
  /// guard that systemd runs.
  private static let words = """
    cd "$HOME"; mkdir bin
    tool() { printf '#!/bin/sh\\n%s\\n' "$2" > "bin/$1"; chmod +x "bin/$1"; }
    server() {
      tool pipewire "echo Linked with libpipewire $1"
      tool wireplumber "echo Linked with libwireplumber $2"
    }
    systemd() { tool systemctl "echo \\"\\$*\\" >> '$HOME/calls'; [ \\"\\$3\\" != --property=MainPID ] || echo \\$guard"; }
    turn() { PATH="$HOME/bin" "$recorder" guard "$@"; echo "code $?"; }
    files() { find .config .local/share -type f | sort; }
    own() { cmp "$1" "$root/Resources/guard/$2" && echo same; }
    units=.config/systemd/user; unit=$units/recorder-guard.service
    loader=.config/wireplumber/wireplumber.conf.d/60-recorder-guard.conf

    """

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  private func run(_ script: String) throws -> (lines: [String], outcome: Outcome) {
    let studio = try Studio(granting: false)
    let outcome = try studio.run("root='\(Self.root)'\n" + Self.words + script)
    return (outcome.output.split(separator: "\n").map(String.init), outcome)
  }

  private static let loader = ".config/wireplumber/wireplumber.conf.d/60-recorder-guard.conf"
  private static let script = ".local/share/wireplumber/scripts/recorder-guard.lua"
  private static let pipeWire = ".config/pipewire/pipewire.conf.d/60-recorder-guard.conf"
  private static let unit = ".config/systemd/user/recorder-guard.service"
  private static let old = [
    ".config/wireplumber/main.lua.d/60-recorder-guard.lua",
    ".config/wireplumber/scripts/recorder-guard.lua",
  ]

  @Test(
    "It writes the files that fit the server, and removes exactly these",
    arguments: [
      ("1.4.2", "0.5.8", [pipeWire, loader, script]), ("1.2.7", "0.5.2", [loader, script]),
      ("0.3.65", "0.4.13", old), ("1.6.0", "0.6.0", []), ("0.3.65", "0.5.0", []),
    ] as [(String, String, [String])])
  func files(pipeWire: String, wirePlumber: String, expected: [String]) throws {
    let (lines, outcome) = try run(
      """
      server \(pipeWire) \(wirePlumber); systemd; mkdir -p .config .local/share
      turn on; echo on; files; turn off; echo off; files; cat calls
      """)
    let on = try #require(lines.firstIndex(of: "on"), "\(outcome)")
    let present = lines[(on + 1)...].prefix { $0.hasPrefix(".") }
    #expect(Set(present) == Set(expected + [Self.unit]), "\(outcome)")
    let off = try #require(lines.firstIndex(of: "off"), "\(outcome)")
    #expect(
      Array(lines[(off + 1)...]) == [
        "--user show --property=Version", "--user daemon-reload",
        "--user enable recorder-guard.service", "--user restart recorder-guard.service",
        "--user show --property=Version", "--user disable --now recorder-guard.service",
        "--user daemon-reload",
      ], "\(outcome)")
    #expect(lines.count { $0 == "code 0" } == 2, "\(outcome)")
    // Without a terminal, the restart is left to the user.
    let restarts = lines.count { $0 == "  systemctl --user restart pipewire wireplumber" }
    #expect(restarts == (expected.isEmpty ? 0 : 2), "\(outcome)")
  }

  @Test("The written files are the installed ones, and the unit has the mode and the program")
  func contents() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; export XDG_STATE_HOME="$HOME/100% \\"state\\""
      mkdir "$XDG_STATE_HOME"; turn on --mode deny
      own \(Self.script) recorder-guard.lua; own \(Self.loader) wireplumber.conf
      own \(Self.pipeWire) pipewire.conf; grep -F "\\"$(realpath "$recorder")\\" guard run --mode deny" $unit
      grep Environment= $unit; grep -c -x -e Restart=always -e StartLimitIntervalSec=0 $unit
      rm -r .config .local/share; server 0.3.65 0.4.13; turn on
      own \(Self.old[0]) wireplumber-0.4.lua; own \(Self.old[1]) recorder-guard-0.4.lua
      """)
    #expect(lines.count { $0 == "same" } == 5, "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("ExecStart=\"") }, "\(outcome)")
    // No number of kills or signals ends the guard for longer than a second.
    #expect(lines.contains("2"), "\(outcome)")
    #expect(
      lines.contains {
        $0.hasPrefix("Environment=\"XDG_STATE_HOME=/") && $0.hasSuffix(#"/100%% \"state\"""#)
      }, "\(outcome)")
  }

  @Test("systemd accepts the unit", .requires(tool: "systemd-analyze"))
  func unit() throws {
    let (lines, outcome) = try run(
      "server 1.4.2 0.5.8; systemd; turn on > out 2>&1; systemd-analyze --user --man=no verify ./$unit"
    )
    #expect(lines == [] && outcome.code == 0 && outcome.errors == "", "\(outcome)")
  }

  @Test("A file with another content is named and kept, and nothing else is written")
  func foreign() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; mkdir -p "$(dirname $loader)" .local/share; echo mine > $loader
      turn on; files; cat $loader; cat "$root/Resources/guard/wireplumber.conf" > $loader
      turn on > out; turn off; files
      """)
    let home = try #require(lines.first { $0.hasPrefix("  left ") }, "\(outcome)")
    #expect(outcome.errors.contains("60-recorder-guard.conf\" exists, and"), "\(outcome)")
    #expect(Array(lines.prefix(3)) == ["code 13", Self.loader, "mine"], "\(outcome)")
    // The identical file was not written by recorder.
    #expect(home.contains(Self.loader) && lines.last == Self.loader, "\(outcome)")
  }

  @Test("A written file that was changed is named and left; after an upgrade, files are replaced")
  func changed() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; turn on > out; echo >> $loader; turn off; files; rm $loader
      state=.local/state/recorder/guard-files.json; [ -e $state ] || echo forgotten
      turn on > out; echo old > $unit
      digest=$(sha256sum < $unit | cut -c 1-64)
      sed -i "s/\\(recorder-guard.service\\",\\"sha256\\":\\"\\)[0-9a-f]*/\\1$digest/" $state
      turn on; grep -c ExecStart $unit
      """)
    #expect(lines.contains { $0.hasPrefix("  left ") && $0.contains(Self.loader) }, "\(outcome)")
    #expect(lines.contains(Self.loader) && !lines.contains(Self.script), "\(outcome)")
    #expect(lines.contains("forgotten"), "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("  replaced ") }, "\(outcome)")
    #expect(lines.last == "1", "\(outcome)")
  }

  @Test("If no systemd runs for the user, it writes the files, and asks for a start by the session")
  func withoutSystemd() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; turn on; files; tool systemctl 'echo no bus >&2; exit 1'; turn on
      "$recorder" guard run > said 2>&1 & await '"$recorder" guard status -q'
      turn on; turn on --json; turn off; files; await '! "$recorder" guard status -q'
      """)
    let codes = lines.filter { $0.hasPrefix("code") }.map { $0.suffix(1) }
    #expect(codes == ["1", "1", "0", "0", "0"], "\(outcome)")
    #expect(outcome.errors.contains("recorder guard run --mode ask"), "\(outcome)")
    #expect(lines.contains(Self.loader) && !lines.contains(Self.unit), "\(outcome)")
    #expect(lines.contains { $0.hasPrefix("The guard is on already") }, "\(outcome)")
    #expect(lines.contains { $0.contains("\"running\":true") }, "\(outcome)")
    #expect(lines.last == "code 0", "\(outcome)")
  }

  @Test("A second call says that the guard is on, and another mode changes it")
  func twice() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; turn on > out; rm calls
      "$recorder" guard run > said 2>&1 & export guard=$!; await '"$recorder" guard status -q'
      turn on; cat calls; turn on --mode log; tail -n 1 calls; files; grep ExecStart $unit
      turn off > out
      """)
    #expect(
      lines.first == "The guard is on already: it asks about programs without a decision.",
      "\(outcome)")
    #expect(lines.dropFirst(2).first == "--user show --property=Version", "\(outcome)")
    #expect(lines.contains("--user restart recorder-guard.service"), "\(outcome)")
    #expect(lines.contains(Self.unit) && !lines.contains(Self.loader), "\(outcome)")
    #expect(lines.last?.hasSuffix("--mode log") == true, "\(outcome)")
  }

  @Test("A guard that systemd does not run is named, and left alone")
  func otherGuard() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; mkdir -p .config .local/share
      "$recorder" guard run > said 2>&1 & await '"$recorder" guard status -q'
      turn on; files; turn off; await '! "$recorder" guard status -q'; turn off
      turn on > out; "$recorder" guard run > said 2>&1 & await '"$recorder" guard status -q'
      turn on --mode deny; turn off > out
      """)
    #expect(outcome.errors.contains("a guard of this user is already running"), "\(outcome)")
    #expect(lines.first == "code 1" && lines.suffix(2) == ["code 10", "code 1"], "\(outcome)")
    #expect(lines.contains("The guard is off. Decisions about programs stay stored."))
  }

  @Test("If systemd cannot be reached any more, turning the guard off warns about its unit")
  func unreachable() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; turn on > out; rm bin/systemctl; turn off; files
      """)
    #expect(lines.contains("code 0") && !lines.contains(Self.unit), "\(outcome)")
    #expect(outcome.errors.contains("systemctl --user daemon-reload"), "\(outcome)")
  }

  @Test("A second guard is refused, even with a state directory of its own")
  func otherState() throws {
    let (lines, outcome) = try run(
      """
      "$recorder" guard run > said 2>&1 & first=$!; await '"$recorder" guard status -q'
      mkdir -m 700 other; XDG_STATE_HOME="$HOME/other" "$recorder" guard run; echo "code $?"
      "$recorder" guard status -q; echo "code $?"; "$recorder" guard off > out; wait $first
      """)
    #expect(lines == ["code 1", "code 0"], "\(outcome)")
    #expect(outcome.errors.contains("a guard of this user is already running"), "\(outcome)")
  }

  @Test("A dry run shows the files, and changes nothing")
  func dryRun() throws {
    let (lines, outcome) = try run(
      """
      server 1.4.2 0.5.8; systemd; mkdir -p .config .local/share
      turn on --dry-run; echo files; files; cat calls
      """)
    for path in [Self.loader, Self.script, Self.pipeWire, Self.unit] {
      #expect(lines.contains { $0.hasPrefix("  write ") && $0.hasSuffix(path) }, "\(outcome)")
    }
    #expect(Array(lines.suffix(2)) == ["files", "--user show --property=Version"], "\(outcome)")
  }

  @Test("In a terminal it asks whether to restart the sound server, and a yes restarts it")
  func restart() throws {
    let home = try ScratchDirectory()
    let terminal = try PseudoTerminal()
    let variables = home.asHome.merging([
      "XDG_RUNTIME_DIR": home.path, "recorder": try Products.recorder,
    ]) { $1 }
    let child = try terminal.start(
      "sh",
      [
        "-c", Self.words + "server 1.4.2 0.5.8; systemd; turn on; turn off; tail -n 1 calls",
      ], environment: variables)
    let first = try terminal.read(until: "(Enter = no): ")
    #expect(first.contains("Restart it now?"), "\(first)")
    try terminal.type("y\n")
    let second = try terminal.read(until: "(Enter = no): ")
    #expect(second.contains("code 0"), "\(second)")
    try terminal.type("\n")
    let end = try terminal.read(until: "--user daemon-reload")
    #expect(end.contains("systemctl --user restart pipewire wireplumber"), "\(end)")
    #expect(try child.wait() == .exited(0))
    let calls = try String(contentsOfFile: home.path("calls"), encoding: .utf8)
    #expect(calls.split(separator: "\n").count { $0 == "--user restart pipewire wireplumber" } == 1)
  }
}

/// `guard on` while a program records, with a private PipeWire server.
@Suite("Turning the guard on while a program records", .requires("RECORDER_PACED_CARD"))
struct GuardSwitchCardTests {
  /// Starts a program that records. The files of the guard get directories of their own. The
  /// `systemctl` only requests a guard, which the shell of the test then starts.
  private static let words = """
    mkdir bin; cat > bin/systemctl <<'END'
    #!/bin/sh
    [ "$2" != restart ] || touch "$HOME/wanted"
    END
    cat > turn <<'END'
    #!/bin/sh
    export XDG_CONFIG_HOME="$HOME/config" XDG_DATA_HOME="$HOME/data" PATH="$HOME/bin:$PATH"
    "$recorder" guard "$@" 2>said; echo "code $?"
    END
    chmod +x bin/systemctl turn
    { await '[ -e wanted ]'; exec setpriv --pdeathsig KILL "$recorder" guard run; } >/dev/null 2>&1 &
    waiting=$!
    cp -L "$(command -v pw-cat)" spy
    setpriv --pdeathsig KILL ./spy --record --target microphone a.wav >/dev/null 2>&1 & spy=$!
    links() { pw-link -l | grep -c '|-> spy:'; }
    await '[ "$(links)" = 2 ]'

    """

  @Test("Without a terminal it lists the program, decides nothing and cuts nothing off")
  func listed() throws {
    let lines = try runBesideCard(
      Self.words + """
        ./turn on --dry-run; ./turn on --dry-run --json; ./turn on; cat said; find config data wanted
        "$recorder" guard status -q || echo off; links
        "$recorder" permission status --program "$PWD/spy" --json | grep -o '"status":"[a-zA-Z]*"' | uniq
        kill "$spy" "$waiting"
        """)
    #expect(lines.contains { $0.hasPrefix("  spy (process ") && $0.hasSuffix("not decided yet") })
    let report = try parsed(try #require(lines.first { $0.hasPrefix("{") }, "\(lines)"))
    let programs = try #require(report["programs"] as? [[String: Any]])
    #expect(programs.count == 1 && programs[0]["title"] as? String == "spy", "\(lines)")
    #expect(lines.filter { $0.hasPrefix("code") } == ["code 0", "code 0", "code 20"], "\(lines)")
    #expect(lines.contains { $0.contains("permission grant microphone --program") }, "\(lines)")
    #expect(lines.suffix(3) == ["off", "2", "\"status\":\"notDetermined\""], "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("config") || $0 == "wanted" }, "\(lines)")
  }

  @Test("Without a terminal it turns the guard on once the program is decided")
  func decided() throws {
    let lines = try runBesideCard(
      Self.words + """
        "$recorder" permission revoke --program "$PWD/spy" >/dev/null
        ./turn on > report; tail -n 1 report; await '"$recorder" guard status -q'
        await '[ "$(links)" = 0 ]'; echo cut; "$recorder" guard off >/dev/null 2>&1
        await '! "$recorder" guard status -q'; kill "$spy"
        """)
    #expect(lines == ["code 0", "cut"], "\(lines)")
  }

  @Test("In a terminal it asks about the program, and stores the answer")
  func asked() throws {
    let lines = try runBesideCard(
      Self.words + """
        tmux -L "$$" -f /dev/null new-session -d -x 100 -y 30 "./turn on; sleep 60"
        await 'tmux -L $$ capture-pane -p | grep -q "Allow spy"'; tmux -L "$$" send-keys y Enter
        await '"$recorder" permission status --program "$PWD/spy" -q'
        links; tmux -L "$$" kill-server; kill "$spy"
        """)
    #expect(lines.contains("2"), "\(lines)")
  }
}
