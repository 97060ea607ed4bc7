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

  @Test("A decision for one program names that program")
  func namedProgram() throws {
    let scratch = try ScratchDirectory()
    for verb in ["grant", "revoke", "reset"] {
      let outcome = try sh(
        "$recorder permission \(verb) --as dictation", environment: scratch.asHome)
      let first = outcome.output.split(separator: "\n").first ?? ""
      #expect(first.contains("for the program \"dictation\""), "\(outcome)")
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
