import Foundation
import Support
import Testing

/// Programs that record beside a guard, each with a private PipeWire server.
@Suite("The guard", .requires("RECORDER_PACED_CARD"), .timeLimit(.minutes(10)))
struct GuardTests {
  /// Functions for scripts. `hear` plays a tone into the microphone. `guard` starts a guard. `spy`
  /// starts a program that records, and `end` ends it. `heard` prints how many frames of a file are
  /// not silent. `events` prints the uses and refusals of `spy` in the log.
  private static let words = """
    behind() { setpriv --pdeathsig KILL "$@" >/dev/null 2>&1 & }
    program() { cp -L "$(command -v pw-cat)" "$1"; }
    hear() {
      sox -n -r 48000 -c 2 -b 16 tone.wav synth 60 square 440 vol 0.25
      program voice; behind ./voice --playback tone.wav
      for side in FL FR; do
        await "pw-link voice:output_$side microphone:input_$side 2>/dev/null"
      done
    }
    guard() {
      setpriv --pdeathsig KILL "$recorder" guard run "$@" 2>said & guard=$!
      await '"$recorder" guard status --json | grep -q "\\"level\\":\\"[cl]"'
    }
    spy() { program spy; behind ./spy --record --target microphone "$1"; spy=$!; }
    end() { kill -INT "$1"; ended "$1"; }
    links() { pw-link -l | grep -c '|-> spy:'; }
    log=$XDG_STATE_HOME/recorder/audit.jsonl
    events() {
      sed -n '/path:.*spy/s/.*"event":"\\(start\\|stop\\|refuse\\)".*/\\1/p' "$log" | tr '\\n' ' '
    }
    heard() {
      python3 -c 'import array, sys
    samples = array.array("h", open(sys.argv[1], "rb").read()[44:])
    print("heard", sum(1 for sample in samples[::2] if sample))' "$1"
    }

    """

  private func run(_ script: String) throws -> [String] {
    try runBesideCard(Self.words + script)
  }

  @Test("A program without a decision gets at most a moment of sound. Ctrl-C ends the guard with 0")
  func undecided() throws {
    let lines = try run(
      """
      hear; guard --mode deny
      spy a.wav; await 'grep -q refuse "$log"'; await '[ "$(links)" = 0 ]'
      "$recorder" guard status; "$recorder" listeners
      end $spy; heard a.wav; events; echo
      kill -INT $guard; ended $guard; wait $guard; echo "guard $?"
      """)
    // A cycle of this server has 1,024 frames, and the guard needs less than 20 ms.
    #expect(try lines.number(after: "heard") <= 1_024 + 960, "\(lines)")
    #expect(lines.contains("No program is recording.") && lines.contains("refuse "), "\(lines)")
    #expect(lines.last == "guard 0", "\(lines)")
  }

  @Test("An allowed program records. A revocation ends its capture, and a grant continues it")
  func decided() throws {
    let lines = try run(
      """
      hear; guard --mode deny; program spy
      "$recorder" permission grant --program "$PWD/spy" >/dev/null
      spy a.wav; await '[ "$(links)" = 2 ]'; await 'grep -q start "$log"'
      "$recorder" guard status --json
      "$recorder" permission revoke --program spy >/dev/null; await '[ "$(links)" = 0 ]'
      await '"$recorder" guard status --json | grep -q "\\"uses\\":\\[\\]"'
      pw-link -l | grep -c '|-> microphone:input'
      "$recorder" permission grant --program spy >/dev/null; await '[ "$(links)" = 2 ]'
      end $spy; await '[ "$(grep -c stop "$log")" = 2 ]'; events
      """)
    let status = try parsed(try #require(lines.first { $0.hasPrefix("{") }, "\(lines)"))
    let uses = try #require(status["uses"] as? [[String: Any]])
    #expect(uses.count == 1 && uses[0]["title"] as? String == "spy", "\(lines)")
    #expect(uses[0]["device"] as? String == "microphone", "\(lines)")
    // The sound of another program that plays is not affected.
    #expect(lines.contains("2"), "\(lines)")
    #expect(lines.last == "start stop refuse start stop ", "\(lines)")
  }

  @Test("A grant for one recording lasts until the program disconnects, and is then removed")
  func once() throws {
    let lines = try run(
      """
      link() {
        for side in FL FR; do
          await "pw-link $1 microphone:capture_$side spy:input_$side 2>/dev/null"
        done
      }
      guard --mode deny; program spy; store=$XDG_STATE_HOME/recorder/programs.json
      "$recorder" permission grant --program "$PWD/spy" --once >/dev/null
      # Without a target, the server does not link it.
      behind ./spy --record --target 0 a.wav; spy=$!
      link; await '[ "$(events)" = "start " ]'; grep -q "guard[.]" "$store"
      link -d; await '[ "$(events)" = "start stop " ]'
      link; await '[ "$(events)" = "start stop start " ]'; links
      end $spy; await '! grep -q "guard[.]" "$store"'
      spy b.wav; await '[ "$(events)" = "start stop start stop refuse " ]'; echo "then refused"
      """)
    #expect(lines.suffix(2) == ["2", "then refused"], "\(lines)")
  }

  @Test("The list of programs says which ones record now, with a guard and without one")
  func recording() throws {
    let lines = try run(
      """
      list() { "$recorder" permission list --json | grep -o '"[^"]*/spy"[^}]*' || echo none; }
      list; spy a.wav; await '[ "$(links)" = 2 ]'; list
      guard --mode log; await 'grep -q start "$log"'; list
      end $spy; await 'grep -q stop "$log"'; list
      """)
    try #require(lines.count == 4, "\(lines)")
    #expect(lines.map { $0.contains("\"recording\":true") } == [false, true, true, false])
    #expect(lines[0] == "none" && lines[3].contains("\"lastUse\""), "\(lines)")
  }

  @Test("A question in the terminal is asked once, and its answer counts")
  func terminal() throws {
    let lines = try run(
      """
      hear; guard
      tmux -L "$$" -f /dev/null new-session -d -x 100 -y 30 "'$recorder' guard ask"
      await 'tmux -L $$ capture-pane -p | grep -q "waiting for questions"'
      spy a.wav; await 'tmux -L $$ capture-pane -p | grep -q "Allow spy"'
      tmux -L "$$" capture-pane -p
      tmux -L "$$" send-keys y Enter; await '[ "$(links)" = 2 ]'
      "$recorder" permission status --program spy --json | grep -o '"status":"[a-z]*"'
      end $spy; tmux -L "$$" kill-server
      """)
    #expect(lines.contains { $0.contains("spy wants to") }, "\(lines)")
    #expect(lines.last == "\"status\":\"authorized\"", "\(lines)")
  }

  @Test("A program that cannot be identified is refused, and the log says why")
  func unknown() throws {
    let lines = try run(
      """
      guard; program spy
      behind python3 -c 'import os; memory = os.memfd_create("spy", 0)
      os.write(memory, open("spy", "rb").read())
      arguments = ["spy", "--record", "--target", "microphone", "a.wav"]
      os.execv("/proc/self/fd/%d" % memory, arguments)'
      await 'grep -q unknown:noFile "$log"'; await '[ "$(links)" = 0 ]'
      "$recorder" permission log
      """)
    let reason = "client unknown (its executable has no path on this system)"
    #expect(lines.contains { $0.contains("  refuse  ") && $0.contains(reason) }, "\(lines)")
  }

  @Test("Only one guard runs, and it survives a restart of the server")
  func restart() throws {
    let lines = try run(
      """
      guard --mode deny; "$recorder" guard run; echo "second $?"
      card kill; card restart; await '"$recorder" guard status --json | grep -q "\\"level\\":\\"cut"'
      spy a.wav; await 'grep -q refuse "$log"'; await '[ "$(links)" = 0 ]'
      "$recorder" guard off; ended $guard; wait $guard; echo "guard $?"; cat said
      end $spy; spy b.wav; await '[ "$(links)" = 2 ]'
      """)
    #expect(lines.contains("second 1") && lines.contains("guard 0"), "\(lines)")
    #expect(lines.contains { $0.contains("running again, and is guarded") }, "\(lines)")
  }

  @Test("With its script in WirePlumber, a program gets no sound before it is allowed")
  func script() throws {
    let lines = try run(
      """
      config=$XDG_CONFIG_HOME data=$XDG_DATA_HOME files=$root/Resources/guard
      mkdir -p "$config"/wireplumber/scripts "$config"/wireplumber/wireplumber.conf.d \
        "$config"/pipewire/pipewire.conf.d "$data"/wireplumber/scripts
      case $(wireplumber --version) in
        *0.4.*)
          cp "$files/recorder-guard-0.4.lua" "$config/wireplumber/scripts/recorder-guard.lua"
          cp "$files/wireplumber-0.4.lua" "$config/wireplumber/main.lua.d/70-guard.lua"
          works="WirePlumber 0.4 cannot" ;;
        *)
          cp "$files/recorder-guard.lua" "$data/wireplumber/scripts"
          cp "$files/wireplumber.conf" "$config/wireplumber/wireplumber.conf.d/70-guard.conf"
          cp "$files/pipewire.conf" "$config/pipewire/pipewire.conf.d/70-guard.conf"
          works="closed to programs without permission$" ;;
      esac
      card restart; hear; spy early.wav; await 'pw-link -i | grep -q spy'
      guard --mode deny; await '"$recorder" guard status | grep -q "$works"'
      await '[ "$(grep -c refuse "$log")" = 1 ]'; end $spy; heard early.wav
      spy a.wav; await '[ "$(grep -c refuse "$log")" = 2 ]'; echo "links $(links)"
      "$recorder" permission grant --program spy >/dev/null; await '[ "$(links)" = 2 ]'
      "$recorder" permission revoke --program spy >/dev/null; await '[ "$(links)" = 0 ]'
      "$recorder" permission grant --program spy >/dev/null; await '[ "$(links)" = 2 ]'
      "$recorder" start own.wav 2>&1 >/dev/null; echo "begun $?"
      "$recorder" stop 2>&1 >/dev/null; echo "own $?"
      end $spy; await '[ "$(grep -c "stop.*spy" "$log")" = 2 ]'; events
      kill $guard; ended $guard; spy late.wav; await 'pw-link -i | grep -q spy'
      # The session manager has handled the spy before this program.
      program other; behind ./other --playback tone.wav
      await 'pw-link -l | grep -A1 "^other:" | grep -q speaker'; end $spy; heard late.wav
      """)
    #expect(lines.filter { $0 == "heard 0" }.count == 2 && lines.contains("links 0"), "\(lines)")
    #expect(lines.contains("own 0"), "\(lines)")
    let events = try #require(lines.first { $0.contains("start") }, "\(lines)")
    #expect(events.split(separator: " ").count { $0 == "start" } == 2, "\(lines)")
    #expect(events.split(separator: " ").count { $0 == "stop" } == 2, "\(lines)")
  }
}
