import Foundation
import Linux
import Support
import Testing

@Suite("The permission of a tap", .timeLimit(.minutes(10)))
struct TapPermissionTests {
  private static let question = "(Enter = not now): "

  /// Runs a script in the foreground of a terminal, and answers its questions. Returns the text of
  /// the terminal up to `end`.
  private func run(
    _ script: String, answering answers: [String], until end: String
  ) throws -> String {
    let home = try ScratchDirectory()
    let terminal = try PseudoTerminal()
    let variables = home.asHome.merging([
      "XDG_RUNTIME_DIR": home.path, "recorder": try Products.recorder,
    ]) { $1 }
    let child = try terminal.start(
      "sh", ["-c", "\(shellFunctions)cd $HOME\n\(script)"], environment: variables)
    var shown = ""
    for answer in answers {
      shown += try terminal.read(until: Self.question, limit: .seconds(60))
      try terminal.type(answer)
    }
    shown += try terminal.read(until: end, limit: .seconds(60))
    #expect(try child.wait() == .exited(0), "\(shown)")
    return shown
  }

  /// Prints whether the session of the running take and another session have a grant.
  private static let granted = """
    grants() { echo "grants $(grep -o '"boot":' .local/state/recorder/permissions.json | wc -l)"; }

    """

  @Test("The answer \"once\" to a tap is for this tap, and leaves the recording its own grant")
  func once() throws {
    let shown = try run(
      Self.granted + """
        $recorder permission grant --once > out; $recorder start -q -d test:ramp a.wav > out
        $recorder tap -q > a.raw & tap=$!; await [ -s a.raw ]; grants
        $recorder tap --no-prompt > b.raw 2> err; echo second $?
        captured +0.3; kill $tap; wait $tap; echo tap $?
        await '[ "$(grants)" = "grants 1" ]'; $recorder tap --no-prompt > b.raw 2> err; echo third $?
        captured +0.3; $recorder stop -q > out; echo stopped $?
        """, answering: ["o\n"], until: "stopped 0")
    for words in ["grants 2", "second 20", "tap 0", "third 20"] {
      #expect(shown.contains(words), "\(shown)")
    }
  }

  @Test("A one-time answer to a start does not allow a tap, which asks again")
  func asksAgain() throws {
    let shown = try run(
      """
      $recorder start -q -d test:ramp a.wav > out; echo started $?
      $recorder tap > a.raw 2> err; echo tap $?; $recorder stop -q > out; echo stopped $?
      """, answering: ["o\n", "\n"], until: "stopped 0")
    #expect(shown.contains("started 0") && shown.contains("tap 20"), "\(shown)")
  }

  @Test("An answer that cannot be stored allows no tap, and the message says so")
  func unsaved() throws {
    let shown = try run(
      """
      $recorder permission grant > out; $recorder start -q -d test:ramp a.wav > out
      rm -f .local/state/recorder/permissions.lock; mkdir .local/state/recorder/permissions.lock
      $recorder tap --as notes > a.raw; echo tap $?; $recorder stop -q > out; echo stopped $?
      """, answering: ["y\n"], until: "stopped 0")
    let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let message = "cannot store the decision, which a running recording needs"
    #expect(words.contains(message), "\(shown)")
    #expect(!words.contains("applies only to this run") && words.contains("tap 1"), "\(shown)")
  }

  @Test("A grant for one recording is used up by one tap, and lasts until the tap ends")
  func oneGrant() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      store="$HOME/.local/state/recorder/permissions.json"
      start -q a.wav > /dev/null; "$recorder" permission grant --as notes --once > /dev/null
      "$recorder" tap --no-prompt --as notes > a.raw & tap=$!; await [ -s a.raw ]
      "$recorder" tap --no-prompt --as notes > b.raw; echo $?; size=$(stat -c %s a.raw)
      await '[ "$(stat -c %s a.raw)" -gt $((size + 200000)) ]'
      kill -KILL $tap; ended $tap; await '! grep -q boot\\": "$store"'
      "$recorder" tap --no-prompt --as notes > b.raw; echo $?
      "$recorder" permission grant --as notes --once > /dev/null
      "$recorder" tap --no-prompt --as notes | head -c 4 > b.raw; [ -s b.raw ]; echo $?
      "$recorder" stop -q > /dev/null; echo $?
      """)
    #expect(outcome.output == "20\n20\n0\n0\n", "\(outcome)")
  }

  @Test("A reader is listed, and revoke does not wait for a reader that is suspended")
  func listed() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      """
      "$recorder" permission grant --as notes > /dev/null; start -q a.wav > /dev/null
      "$recorder" tap --as notes > a.raw & tap=$!; await [ -s a.raw ]; echo '{"tap":'$tap'}'
      "$recorder" permission status --json; "$recorder" permission > said; kill -STOP $tap
      "$recorder" permission revoke --as notes --json; echo "code $?"; kill -CONT $tap
      wait $tap; echo "tap $?"; "$recorder" permission status --json; cat said
      """)
    let objects = try outcome.output.split(separator: "\n").filter { $0.hasPrefix("{") }
      .map { try parsed(String($0)) }
    try #require(objects.count == 4, "\(outcome)")
    let uses = objects[1...].map { $0["inUse"] as? [[String: Any]] ?? [] }
    #expect(
      uses.map { $0.map { $0["name"] as? String } } == [
        ["default", "default"], ["default"], ["default"],
      ])
    #expect(uses[0].last?["pid"] as? Int == objects[0]["tap"] as? Int, "\(outcome)")
    #expect(uses[0].last?["device"] as? String == "test:ramp")
    #expect(objects[2]["stopped"] as? [String] == ["a reader of \"default\""], "\(outcome)")
    #expect(outcome.output.contains("code 0\ntap 24\n"), "\(outcome)")
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("by a reader of the recording \"default\""), "\(outcome)")
  }
}
