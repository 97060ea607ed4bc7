import Foundation
import Support
import Testing

@Suite("Revoking the permission", .timeLimit(.minutes(10)))
struct RevocationTests {
  @Test("stops the recordings, returns when their files are complete, and lists them")
  func lists() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav >/dev/null && start b.flac --name b >/dev/null && start c.wav --name c >/dev/null
      "$recorder" stop c >/dev/null; "$recorder" permission revoke; code=$?
      "$recorder" info a.wav b.flac >/dev/null && ls -A | grep part; echo "$code"
      "$recorder" wait; echo "$?"; "$recorder" wait b; echo "$?"
      """)
    let told = outcome.output.split(separator: "\n").filter { $0.hasPrefix("Stopped") }
    #expect(told.count == 2, "\(outcome)")
    let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("\"default\" in \"\(studio.scratch.path("a.wav"))\""))
    #expect(text.contains("\"b\" in \"\(studio.scratch.path("b.flac"))\""))
    #expect(outcome.output.split(separator: "\n").filter { Int($0) != nil } == ["0", "24", "24"])
  }

  @Test("for one program does not stop the recordings of others")
  func client() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" permission grant --as notes >/dev/null; start a.wav >/dev/null
      start b.wav --name b --as notes >/dev/null; "$recorder" permission revoke --as notes --json
      "$recorder" status --json >status; "$recorder" stop >/dev/null
      """)
    let stopped = try parsed(outcome.output)["stopped"] as? [String]
    #expect(stopped?.count == 1 && stopped?.first?.hasPrefix("\"b\"") == true, "\(outcome)")
    let status = try parsed(String(decoding: studio.scratch.read("status"), as: UTF8.self))
    let names = (status["recordings"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
    #expect(names == ["default"])
  }

  @Test("of system audio does not end a recording of the microphone; one of the microphone does")
  func otherService() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav >/dev/null
      for verb in revoke reset; do "$recorder" permission $verb system-audio --json; done
      "$recorder" status | head -n 1; "$recorder" permission revoke microphone --json
      "$recorder" wait >/dev/null; echo "$?"
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 5, "\(outcome)")
    for line in lines.prefix(2) {
      let answer = try parsed(line)
      for key in ["stopped", "continuing", "unconfirmed"] {
        #expect((answer[key] as? [String])?.isEmpty == true, "\(key): \(line)")
      }
    }
    #expect(lines[2].hasPrefix("default: recording") && lines[4] == "24", "\(outcome)")
    #expect((try parsed(lines[3])["stopped"] as? [String])?.count == 1, "\(outcome)")
  }

  @Test("waits 5 s for a session that hangs, exits with 26, and kills the session with --force")
  func hanging() throws {
    let studio = try Studio()
    let process = try studio.start("a.wav")
    let outcome = try studio.run(
      """
      kill -STOP \(process); "$recorder" permission revoke; echo "$?"
      "$recorder" permission revoke --force; echo "$?"; "$recorder" status
      """)
    let lines = outcome.output.split(separator: "\n").filter { Int($0) != nil }
    #expect(lines == ["26", "0"], "\(outcome)")
    #expect(outcome.output.contains("default: interrupted"))
    #expect(
      (outcome.output + outcome.errors).contains("Did not stop within 5 seconds: \"default\""))
    #expect(outcome.output.contains(".a.wav.part"))
  }

  @Test(
    "by a reset does not wait for a recording that a policy allows all the same",
    .requires("RECORDER_ROOT_TESTS"), .requiresRoot)
  func allowedByPolicyAsRoot() throws {
    let studio = try Studio()
    let rule =
      #"{"version":1,"rules":[{"service":"microphone","match":{"devices":["test:ramp"]},"#
      + #""status":"authorized"}]}"#
    // The script runs in its own namespace, with a copy of `/etc`.
    let outcome = try studio.run(
      """
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"
      (umask 022; mkdir -p "$HOME/etc/recorder/policy.d"
      echo '\(rule)' >"$HOME/etc/recorder/policy.d/a.json")
      cat >script <<'END'
      mount --bind "$HOME/etc" /etc; "$recorder" start -d test:ramp a.wav >/dev/null
      "$recorder" start -d test:tone --name tone tone.wav >/dev/null
      "$recorder" permission reset --json; echo "$?"; "$recorder" wait tone >/dev/null; echo "$?"
      "$recorder" status | head -n 1; "$recorder" stop >/dev/null
      END
      unshare -m sh script
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let answer = try parsed(try #require(lines.first))
    #expect(answer["continuing"] as? [String] == ["\"default\""], "\(outcome)")
    #expect((answer["stopped"] as? [String])?.count == 1)
    #expect((answer["unconfirmed"] as? [String])?.isEmpty == true)
    #expect(lines.dropFirst() == ["0", "24", "default: recording"])
  }

  @Test("at any moment keeps the sound before it, and no sound from 250 ms after it")
  func anyMoment() throws {
    let rounds = isThorough ? 30 : 8
    var random = SeededGenerator(seed: 7)
    var latest = -Double.infinity
    for round in 0..<rounds {
      // The test needs a random moment.
      let moment = Double.random(in: 0..<0.5, using: &random)
      let delay = try keptAfterChange(
        "moment \(moment); $recorder permission revoke", code: 24, round)
      latest = max(latest, delay)
    }
    print("the last frame kept lies at most \(latest) s after the change, of \(rounds)")
  }

  @Test(
    "while the session is stopped keeps no later audio", arguments: ["revoke", "expiry"])
  func stopped(change: String) throws {
    let studio = try Studio(granting: false)
    // The test needs a stop that is longer than the limit.
    let outcome = try studio.run(
      """
      "$recorder" permission grant \(change == "expiry" ? "--for 10s" : "") > said
      process=$(start --json a.wav | number pid); captured 0.5; frames ''; kill -STOP $process
      \(change == "expiry" ? "sleep 11" : "timeout 1 \"$recorder\" permission revoke > said; sleep 2")
      kill -CONT $process; "$recorder" wait > said; echo $?
      """)
    let lines = outcome.output.split(separator: "\n").compactMap { Int($0) }
    try #require(lines.count == 2, "\(outcome)")
    #expect(lines[1] == (change == "expiry" ? 25 : 24), "\(outcome)")
    let samples = try #require(try studio.soundBytes("a.wav"))
    let last = try #require(Studio.ramp(samples).last)
    #expect(Int(last) < lines[0] + 36_000, "frame \(last), stopped after \(lines[0])")
  }

  @Test("while the session is stopped for less than a second keeps no later audio")
  func brieflyStopped() throws {
    let studio = try Studio()
    // The test needs a stop that is longer than the limit.
    let outcome = try studio.run(
      """
      process=$(start --json a.wav | number pid); captured 0.5; kill -STOP $process
      "$recorder" permission revoke > said & revoking=$!
      await 'grep -q denied .local/state/recorder/permissions.json'
      sleep 0.6; kill -CONT $process; "$recorder" wait > said; echo $?; wait $revoking
      """)
    #expect(outcome.output == "24\n", "\(outcome)")
    let last = Studio.ramp(try #require(try studio.soundBytes("a.wav"))).last
    let events = try studio.audit()
    let began = try #require(events.first { $0.event == "start" }?.boottime)
    let revoked = try #require(events.last { $0.event == "revoke" }?.boottime)
    let delay = began + Double(try #require(last)) / 48_000 - revoked
    #expect(delay < 0.25, "\(delay) s")
  }

  @Test("is announced by a grant that replaces a longer one")
  func shorterGrant() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start -q a.wav; "$recorder" permission grant --for 1h > first; cat first
      "$recorder" permission grant > second; grep -c -e longer -e "will end" second
      """)
    let words = outcome.output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("access was allowed until you revoke it."), "\(words)")
    #expect(
      words.contains(/The recording "default" will end at [0-9-]+ [0-9:]+\./), "\(words)")
    #expect(outcome.output.hasSuffix("\n0\n"), "\(outcome)")
  }

  @Test("by the end of the grant keeps the sound before it, with 25")
  func deadline() throws {
    let studio = try Studio(granting: false)
    let outcome = try studio.run(
      "$recorder permission grant --for 10s && start a.wav && $recorder wait")
    #expect(outcome.code == 25, "\(outcome)")
    let samples = try #require(try studio.soundBytes("a.wav"))
    #expect(firstBreak(in: Studio.ramp(samples)) == nil)
    let events = try studio.audit()
    let began = try #require(events.last { $0.event == "start" }?.boottime)
    let granted = try #require(events.last { $0.event == "grant" }?.boottime)
    let last = began + Double(samples.count / 4) / 48_000
    #expect(last - granted - 10 < 0.25, "\(last - granted) s after the grant")
  }

  @Test(
    "by an administrator's file keeps the earlier audio and exits with 24",
    .requires("RECORDER_ROOT_TESTS"), .requiresRoot,
    arguments: [
      ("mkdir -p /etc/recorder/policy.d", "mv rule /etc/recorder/policy.d/a.json"),
      ("true", "mkdir -p /etc/recorder/policy.d; mv rule /etc/recorder/policy.d/a.json"),
      (
        "mkdir -p /etc/recorder/policy.d policies && cp rule policies/a.json",
        "mount --bind policies /etc/recorder/policy.d"
      ),
    ])
  func policyAsRoot(before: String, change: String) throws {
    let studio = try Studio()
    let rule = #"{"version":1,"rules":[{"service":"microphone","match":{},"status":"restricted"}]}"#
    // The script runs in its own namespace, with a copy of `/etc`.
    let outcome = try studio.run(
      """
      cp -a /etc "$HOME/etc" && rm -rf "$HOME/etc/recorder"; umask 022; echo '\(rule)' >rule
      cat >script <<'END'
      mount --bind "$HOME/etc" /etc && \(before)
      "$recorder" start --device test:ramp a.wav >/dev/null; eval "$functions"; captured 0.3; "$recorder" info a.wav
      cut -d' ' -f1 /proc/uptime >dropped
      \(change); "$recorder" wait
      END
      unshare -m sh script
      """)
    #expect(outcome.code == 24, "\(outcome)")
    let samples = try #require(try studio.soundBytes("a.wav"))
    let dropped = String(decoding: try studio.scratch.read("dropped"), as: UTF8.self)
    let moment = try #require(Double(dropped.split(separator: "\n").first ?? ""))
    let began = try #require(try studio.audit().first { $0.event == "start" }?.boottime)
    let last = began + Double(samples.count / 4) / 48_000
    #expect(last - moment < 0.25, "\(last - moment) s after the file")
  }

  @Test(
    "ends a recording of a card as soon", .requires("RECORDER_PACED_CARD"),
    .enabled(if: Tool.path(of: "sox") != nil, "sox is not installed"))
  func card() throws {
    for round in 0..<(isThorough ? 10 : 2) {
      let studio = try Studio()
      let outcome = try studio.run(
        """
        export PIPEWIRE_RUNTIME_DIR="$RECORDER_PACED_CARD_SESSION/runtime"
        "$recorder" start --device pipewire a.wav >/dev/null && moment 0.$((\(round) * 7 % 10)) &&
          "$recorder" permission revoke >/dev/null && ls .a.wav.part; "$recorder" wait
        """)
      #expect(outcome.code == 24, "round \(round): \(outcome)")
      let samples = try #require(try studio.soundBytes("a.wav"))
      let events = try studio.audit()
      let began = try #require(events.first { $0.event == "start" }?.boottime)
      let changed = try #require(events.last { $0.event == "revoke" }?.boottime)
      let delay = began + Double(samples.count / 4) / 48_000 - changed
      #expect(delay < 0.25, "round \(round): \(delay) s")
      print("of a card, the last frame kept lies \(delay) s after the change")
    }
  }

  /// Returns the seconds from the change of the decision's file to the last frame that was kept. On
  /// a busy disk that change is later than its entry in the audit.
  private func keptAfterChange(_ change: String, code: Int32, _ round: Int) throws -> Double {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav >/dev/null && \(change) >/dev/null && ls .a.wav.part; $recorder wait; code=$?
      echo $(stat -c %.9Z .local/state/recorder/permissions.json; date +%s.%N; cat /proc/uptime)
      exit $code
      """)
    #expect(outcome.code == code, "round \(round): \(outcome)")
    let samples = try #require(try studio.soundBytes("a.wav"))
    let ramp = Studio.ramp(samples)
    #expect(!ramp.isEmpty && firstBreak(in: ramp) == nil)
    let began = try #require(try studio.audit().first { $0.event == "start" }?.boottime)
    let line = outcome.output.split(separator: "\n").last?.split(separator: " ") ?? []
    let times = line.compactMap { Double($0) }
    try #require(times.count == 4, "\(outcome)")
    let changed = times[0] - times[1] + times[2]
    let delay = began + Double(ramp.count) / 48_000 - changed
    #expect(delay < 0.25, "round \(round): \(delay) s")
    return delay
  }
}

@Suite("A grant for one recording", .timeLimit(.minutes(10)))
struct OnceTests {
  @Test("is used by exactly one of twenty concurrent starts")
  func race() throws {
    let rounds = isThorough ? 100 : 20
    let studio = try Studio(granting: false)
    let outcome = try studio.run(
      """
      for round in $(seq \(rounds)); do
        "$recorder" permission grant --once >/dev/null
        for name in $(seq 20); do
          { start --name "n$name" --no-prompt "$round-$name.wav" >/dev/null 2>&1; echo "$?" >>codes; } &
        done
        wait; "$recorder" stop --all >/dev/null; sort codes | uniq -c | tr -s ' \\n' ' '; echo; rm codes
      done
      ls *.wav | wc -l
      """, limit: .seconds(300))
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.dropLast().count == rounds, "\(outcome.errors)")
    for (round, line) in lines.dropLast().enumerated() {
      #expect(line == " 1 0 19 20 ", "round \(round)")
    }
    #expect(lines.last == "\(rounds)")
  }
}

@Suite("A recording that is refused", .requires(tool: "strace"), .timeLimit(.minutes(10)))
struct RefusedTests {
  @Test(
    "opens no device and no sound server, makes no file, and says why by its code",
    arguments: [
      ("", "", 20), ("revoke", "", 21), ("grant", "RECORDER_PERMISSION=deny", 21),
    ], ["sh -c", "script -qec", "true | sh -c", "env -i HOME=\"$HOME\" PATH=/usr/bin:/bin sh -c"])
  func touchesNothing(refusal: (String, String, Int32), place: String) throws {
    let studio = try Studio(granting: false)
    let (decision, variable, code) = refusal
    if !decision.isEmpty { try studio.run("$recorder permission \(decision)") }
    let end = place.hasPrefix("script") ? "/dev/null" : ""
    let outcome = try studio.run(
      """
      \(place) "cd $HOME; \(variable) strace -f -e trace=openat,connect -o trace \\
        $recorder start --no-prompt a.wav" \(end)
      """)
    #expect(outcome.code == code, "\(outcome)")
    let trace = String(decoding: try studio.scratch.read("trace"), as: UTF8.self)
    #expect(trace.contains(".local/state/recorder"))
    for forbidden in ["/dev/snd/pcm", "pipewire-0", "pulse/native", "a.wav"] {
      #expect(!trace.contains(forbidden), "\(forbidden)")
    }
    #expect(try !studio.run("ls -A").output.contains("wav"))
  }
}

extension Studio {
  /// Returns the events in the audit, with times since the machine was started.
  func audit() throws -> [(event: String, boottime: Double)] {
    let text = String(
      decoding: try scratch.read(".local/state/recorder/audit.jsonl"), as: UTF8.self)
    return try text.split(separator: "\n").map { line in
      let event = try parsed(String(line))
      let boottime = try #require(event["boottime"] as? NSNumber)
      return (event["event"] as? String ?? "", boottime.doubleValue / 1e9)
    }
  }
}

@Suite("Revoking the permission of a machine that died", .timeLimit(.minutes(10)))
struct DeadMachineTests {
  @Test("names the machine and the command for it, until it has started again")
  func dead() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      start a.wav --duration 0.1 --foreground 2>/dev/null
      other=$HOME/.local/state/recorder/machines/m2; umask 077; mkdir -p $other/sessions; cd $other
      claim() { echo '{"machine":"m2","boot":"'$1'","processes":7,"name":"old-laptop"}'; }
      claim b1 >machine.json
      echo '{"id":"x","name":"talk","pid":7,"device":"hw:0","parts":[],"began":"2026-01-01T00:00:00.000000Z",'\
      '"host":'"$(claim b1)}" >sessions/talk.json
      cd "$HOME"; "$recorder" permission revoke; echo "$?"
      cd "$other"; claim b2 >machine.json
      "$recorder" permission revoke >/dev/null; echo "$?"
      claim b1 >machine.json; "$recorder" recover --from old-laptop >/dev/null
      "$recorder" permission revoke >/dev/null; echo "$?"
      """, limit: .seconds(60))
    #expect(outcome.output.split(separator: "\n").suffix(3) == ["26", "0", "0"], "\(outcome)")
    let said = outcome.output + outcome.errors
    #expect(said.contains("\"talk\" on \"old-laptop\""), "\(outcome)")
    #expect(said.contains("type: recorder recover --from old-laptop"), "\(outcome)")
  }
}
