import Foundation
import Support
import Testing

@Suite("The microphone permission")
struct PermissionTests {
  @Test("A sequence of decisions has the right exit codes")
  func decisions() throws {
    let scratch = try ScratchDirectory()
    let script = """
      p() { "$recorder" permission "$@" > /dev/null 2>&1; printf '%s ' $?; }
      p; p status; p request; p grant --for 1h; p status; p status --as dictation; p revoke
      p status; p request; p grant --as dictation; p reset; p status; p reset; p log
      RECORDER_PERMISSION=deny p grant; RECORDER_PERMISSION=allow p status; p status
      """
    let outcome = try sh(script, environment: scratch.asHome)
    #expect(outcome.output == "20 20 20 0 0 20 0 21 21 21 0 20 0 0 21 64 0 ")
  }

  @Test("A grant until a time says how long it lasts, to the minute")
  func length() throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      #""$recorder" permission grant --until "$(date -d '1050 minutes' +%H:%M)""#,
      environment: scratch.asHome)
    let said = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // The seconds of the present minute are cut off.
    #expect(said.contains(/, 17 h (29|30) min from now/), "\(outcome)")
  }

  @Test("Each service has its own decisions, and revoke and reset without a service mean both")
  func services() throws {
    let scratch = try ScratchDirectory()
    let script = """
      p() { "$recorder" permission "$@" > /dev/null 2>&1; printf ' %s' $?; }
      both() { p status microphone; p status system-audio; echo; }
      p grant system-audio; both
      p grant; p revoke system-audio; both
      p reset system-audio; both
      p grant system-audio --once; p revoke microphone; both
      p reset; both
      p revoke; both
      p request system-audio; p grant system-audio --as dictation; p grant systemAudio; echo
      p grant; p grant system-audio; export RECORDER_PERMISSION=deny; both
      """
    let outcome = try sh(script, environment: scratch.asHome)
    #expect(
      outcome.output.split(separator: "\n") == [
        " 0 20 0", " 0 0 0 21", " 0 0 20", " 0 0 21 0", " 0 20 20", " 0 21 21", " 21 21 64",
        " 0 0 21 21",
      ], "\(outcome)")
  }

  @Test("The status shows system audio once something is known about it, or if it is requested")
  func otherService() throws {
    let scratch = try ScratchDirectory()
    let script = """
      s() { echo "--$*"; "$recorder" permission status "$@" | grep -E '^(Microphone|System audio)( for x)?:'; }
      s; s system-audio; "$recorder" permission grant system-audio --as x > out; s; s microphone
      "$recorder" permission revoke system-audio > out; s; s system-audio; cat out
      """
    let outcome = try sh("cd $HOME; " + script, environment: scratch.asHome)
    #expect(
      outcome.output.hasPrefix(
        """
        --
        Microphone: not decided yet
        --system-audio
        System audio: not decided yet
        Microphone: not decided yet
        --
        Microphone: not decided yet
        System audio: not decided yet
        System audio for x: allowed until you revoke it
        --microphone
        Microphone: not decided yet
        System audio: not decided yet
        System audio for x: allowed until you revoke it
        --
        Microphone: not decided yet
        System audio: refused by you
        --system-audio
        System audio: refused by you
        Microphone: not decided yet
        Access to system audio is refused from now on.
        To allow it: recorder permission grant system-audio
        """), "\(outcome)")
  }

  @Test("The JSON and the log name the service")
  func serviceInJSON() throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      "$recorder permission grant system-audio --json; $recorder permission log --json; "
        + "$recorder permission log",
      environment: scratch.asHome)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 3, "\(outcome)")
    let decision = try parsed(lines[0])
    #expect(decision["service"] as? String == "systemAudio" && decision["rawValue"] as? Int == 3)
    let each = (decision["services"] as? [[String: Any]])?.map { service in
      ["service", "status"].compactMap { service[$0] as? String }
    }
    #expect(each == [["microphone", "notDetermined"], ["systemAudio", "authorized"]])
    let event = (try parsed(lines[1])["events"] as? [[String: Any]])?.first
    #expect(event?["service"] as? String == "systemAudio")
    #expect(lines[2].contains("  grant  not decided yet → allowed  "), "\(lines)")
    #expect(lines[2].contains("  service system-audio  ") && !lines[2].contains("client"))
  }

  @Test(
    "A recording of an output or a program needs its own permission, and leaves no file without it",
    arguments: ["output", "output:speaker", "app:player"])
  func outputs(device: String) throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      """
      cd $HOME; "$recorder" permission grant > /dev/null
      "$recorder" start --no-prompt -d \(device) a.wav; echo $?
      "$recorder" meter --no-prompt -d \(device); echo $?; ls -A | grep wav
      """, environment: scratch.asHome)
    #expect(outcome.output == "20\n20\n", "\(outcome)")
    let advice = "To allow it: recorder permission grant system-audio"
    #expect(outcome.errors.components(separatedBy: advice).count == 3, "\(outcome)")
  }

  @Test("A decision for one program names that program")
  func namedProgram() throws {
    let scratch = try ScratchDirectory()
    for verb in ["grant", "revoke", "reset"] {
      let outcome = try sh(
        "$recorder permission \(verb) --as dictation", environment: scratch.asHome)
      let text = outcome.output.replacing("\n", with: " ")
      #expect(text.prefix(100).contains("for the program \"dictation\""), "\(outcome)")
    }
    let everyone = try sh("$recorder permission grant", environment: scratch.asHome)
    #expect(!everyone.output.contains("for the program"))
  }

  @Test("The result goes to stdout, and a refusal goes to stderr with the remedy")
  func streams() throws {
    let scratch = try ScratchDirectory()
    let status = try sh("$recorder permission status", environment: scratch.asHome)
    #expect(status.output.hasPrefix("Microphone: not decided yet\n"))
    #expect(status.output.contains("recorder permission grant") && status.errors == "")
    let request = try sh("$recorder permission request", environment: scratch.asHome)
    #expect(request.output == "" && request.code == 20)
    #expect(request.errors.hasPrefix("recorder: "))
    #expect(request.errors.contains("recorder permission grant"))
    let overview = try sh("$recorder permission", environment: scratch.asHome)
    #expect(overview.output.contains("recorder permission policy check"))
  }

  @Test("The JSON has the name and the number of the status")
  func json() throws {
    let scratch = try ScratchDirectory()
    let outcome = try sh(
      "$recorder permission grant --once --json; $recorder permission log --json",
      environment: scratch.asHome)
    let lines = try outcome.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    #expect(lines.count == 2)
    #expect(lines[0]?["schema"] as? Int == 2 && lines[0]?["rawValue"] as? Int == 3)
    #expect(lines[0]?["enforcement"] as? String == "advisory")
    let events = lines[1]?["events"] as? [[String: Any]]
    #expect(events?.first?["event"] as? String == "grant")
    #expect((events?.first?["exe"] as? String)?.hasSuffix("/recorder") == true)
  }

  @Test("The status lists a recording while it runs, and not afterwards")
  func inUse() throws {
    let scratch = try ScratchDirectory()
    var variables = scratch.asHome
    variables["XDG_RUNTIME_DIR"] = scratch.path
    let outcome = try sh(
      """
      cd $HOME; s() { $recorder permission status --json; }
      s; $recorder permission grant --json > /dev/null
      $recorder start --name talk -d test:tone --json a.wav > /dev/null
      s; $recorder permission status | tail -n 1; $recorder stop talk > /dev/null; s
      """, environment: variables)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 4, "\(outcome)")
    let uses = try [lines[0], lines[1], lines[3]].map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return json?["inUse"] as? [[String: Any]]
    }
    #expect(uses.map { $0?.count } == [0, 1, 0])
    #expect(uses[1]?.first?["name"] as? String == "talk")
    #expect(uses[1]?.first?["device"] as? String == "test:tone")
    #expect(
      lines[2].hasPrefix("In use since 2")
        && lines[2].hasSuffix(
          #"by the recording "talk""#
            + " (test:tone).")
    )
  }

  @Test("A damaged store refuses, is named with its path, and is moved away only by --force")
  func damaged() throws {
    let scratch = try ScratchDirectory()
    let script = """
      "$recorder" permission grant > /dev/null; F="$HOME/.local/state/recorder/permissions.json"
      echo x >> "$F"; "$recorder" permission status; echo $?
      "$recorder" permission grant; echo $?
      "$recorder" permission reset --force > /dev/null; echo $?; ls "$HOME/.local/state/recorder"
      """
    let outcome = try sh(script, environment: scratch.asHome)
    let place = scratch.path + "/.local/state/recorder/permissions.json"
    #expect(outcome.output.contains(place) && outcome.output.contains("checksum is wrong"))
    #expect(outcome.output.contains("recorder permission reset --force"))
    #expect(outcome.errors.hasPrefix("recorder: ") && outcome.errors.contains(place))
    #expect(outcome.output.contains("\n23\n23\n0\n"))
    #expect(outcome.output.contains("permissions.json.bad-2"))
  }

  @Test("policy check checks a policy before it is installed")
  func policyCheck() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(#"{"version":1,"rules":[]}"#, to: "good.json")
    try scratch.write("{\"version\":1,\n \"rule\":[]}", to: "bad.json")
    let outcome = try sh(
      "cd $HOME; $recorder permission policy check good.json; echo $?; "
        + "$recorder permission policy check bad.json; echo $?",
      environment: scratch.asHome)
    #expect(outcome.output.hasPrefix("ok: good.json\n0\nwrong: bad.json:2:2: "))
    #expect(outcome.output.hasSuffix("\n23\n"))
    let rules =
      #"[{"service":"microphone","match":{"users":["root","kimm","0"],"groups":["root","exam-x"]},"#
      + #""status":"restricted"}]"#
    try scratch.write(#"{"version":1,"rules":\#(rules)}"#, to: "names.json")
    let named = try sh(
      "cd $HOME; $recorder permission policy check names.json", environment: scratch.asHome)
    #expect(
      named.output == "ok: names.json\n  warning: this machine has no user \"kimm\"\n"
        + "  warning: this machine has no group \"exam-x\"\n")
    #expect(named.code == 0)
    let missing = try sh(
      "cd $HOME; $recorder permission policy check none.json", environment: scratch.asHome)
    #expect(missing.code == 10)
    #expect(missing.errors == "recorder: cannot read \"none.json\": No such file or directory\n")
  }
}
