import Foundation
import Linux
import Support
import Testing

/// A row of the table in docs/several-places.md.
struct PlacesRow: Sendable, CustomTestStringConvertible {
  let command: String
  let cells: [String]

  var testDescription: String { command }

  /// The rows of the page.
  static let all: [PlacesRow] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try? String(
      contentsOf: root.appending(path: "docs/several-places.md"), encoding: .utf8)
    return (page ?? "").split(separator: "\n").filter { $0.hasPrefix("| `recorder ") }.map { line in
      let fields = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return PlacesRow(
        command: fields[0].trimmingCharacters(in: ["`"]), cells: Array(fields.dropFirst()))
    }
  }()
}

@Suite("One home that is used from several places", .timeLimit(.minutes(20)))
struct SeveralPlacesTests {
  private enum Place: Int {
    case user, runtime, machine
  }

  @Test("The table has at least 17 rows, each with a cell for every place")
  func table() {
    #expect(PlacesRow.all.count >= 17)
    for row in PlacesRow.all { #expect(row.cells.count == 3, "\(row)") }
  }

  @Test(
    "Another user gets the answer in the table", .requires("RECORDER_ROOT_TESTS"), .requiresRoot,
    arguments: PlacesRow.all)
  func userAsRoot(row: PlacesRow) throws { try check(row, .user) }

  @Test("Another runtime directory gives the results of the table", arguments: PlacesRow.all)
  func runtime(row: PlacesRow) throws { try check(row, .runtime) }

  @Test(
    "Another machine gets the answer in the table", .requiresNamespaces, arguments: PlacesRow.all)
  func machine(row: PlacesRow) throws { try check(row, .machine) }

  private func check(_ row: PlacesRow, _ place: Place) throws {
    let theatre = try Theatre()
    let begun = try theatre.run(
      """
      "$recorder" permission grant && "$recorder" start --device test:ramp a.wav \
        && play umbrella --loop --detach && mkdir -m 700 other
      """)
    try #require(begun.code == 0, "\(begun)")
    try theatre.scratch.write(typed(row.command, place), to: "typed")
    let outcome = try theatre.run(Self.elsewhere(place))
    let cell = row.cells[place.rawValue]
    #expect(outcome.code == Int32(cell.prefix { $0.isNumber }), "\(cell): \(outcome)")
    let said = outcome.output + outcome.errors
    for word in try Self.words(cell) { #expect(said.contains(word), "\(word): \(outcome)") }
    let mayEnd = place == .runtime || row.command.hasSuffix("revoke")
    guard !mayEnd else { return }
    let after = try theatre.run("\"$recorder\" status; sound status")
    #expect(after.output.contains("default: recording"), "\(after)")
    #expect(after.output.contains("umbrella  playing"), "\(after)")
  }

  /// Returns the script that runs the command in the given place.
  private func typed(_ command: String, _ place: Place) -> String {
    var command = command.replacing("recorder ", with: "\"$recorder\" ", maxReplacements: 1)
    if command.contains(" start ") { command += " --device test:ramp" }
    if command.contains(" play ") { command += " --device test:null" }
    guard place == .machine else { return command + "\n" }
    return """
      hostname second
      echo 0123456789abcdef0123456789abcdef > id
      if [ -e /etc/machine-id ]; then mount --bind id /etc/machine-id; fi
      "$recorder" permission grant > /dev/null
      \(command)

      """
  }

  private static func elsewhere(_ place: Place) -> String {
    switch place {
    case .user: "exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -s < typed"
    case .runtime: "XDG_RUNTIME_DIR=\"$HOME/other\" exec sh typed"
    // A session that starts there ends with its namespace.
    case .machine: "exec unshare -rumpf --mount-proc sh typed"
    }
  }

  /// Returns the quoted words of a cell, with the name of this machine instead of `first`.
  private static func words(_ cell: String) throws -> [String] {
    let host = try HostIdentity.name()
    let parts = cell.replacing("\\\"", with: "\u{1}").split(
      separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { part in
      String(part.element).replacing("\u{1}", with: "\"").replacing("first", with: host)
    }
  }
}

@Suite("Two machines that record into one home", .requiresNamespaces, .timeLimit(.minutes(10)))
struct TwoMachinesTests {
  /// Returns a script that runs the given one as another machine.
  private func second(_ script: String) -> String {
    """
    cat > second <<'END'
    hostname second; echo 0123456789abcdef0123456789abcdef > id
    if [ -e /etc/machine-id ]; then mount --bind id /etc/machine-id; fi
    cd "$HOME"; start() { "$recorder" start --device test:ramp "$@"; }
    \(script)
    END
    unshare -rumpf --mount-proc sh second

    """
  }

  @Test("On a share without locks a live take is not touched, and continues")
  func withoutLocks() throws {
    let studio = try Studio()
    try studio.scratch.write("int flock(int f, int o) { return 0; }\n", to: "nolock.c")
    let outcome = try studio.run(
      """
      cc -shared -fPIC -o nolock.so nolock.c; export LD_PRELOAD="$PWD/nolock.so"
      start a.wav > /dev/null; "$recorder" recover a.wav; echo $?; start b.wav; echo $?

      """
        + second(
          """
          "$recorder" recover > /dev/null; echo $?; "$recorder" recover . > /dev/null; echo $?
          start a.wav > /dev/null; "$recorder" permission grant > /dev/null
          start a.wav > /dev/null; echo $?; "$recorder" recover a.wav; echo $?
          """) + "\"$recorder\" stop > /dev/null; echo $?; ls")
    #expect(outcome.output.hasPrefix("11\n11\n0\n10\n11\n11\n0\na.wav\n"), "\(outcome)")
    #expect(try studio.decoded("a.wav").jumps.isEmpty)
  }

  @Test("A container on the same machine does not touch a live take, even without locks")
  func container() throws {
    let studio = try Studio()
    try studio.scratch.write("int flock(int f, int o) { return 0; }\n", to: "nolock.c")
    try studio.scratch.write(
      """
      hostname second; cd "$HOME"; export XDG_RUNTIME_DIR="$HOME/other"
      "$recorder" status --json | grep -c '"elsewhere":\\[{"id"'
      "$recorder" permission grant > /dev/null # of who is root here
      "$recorder" start --device test:ramp b.wav; echo $?
      "$recorder" recover a.wav; echo $?
      """, to: "second")
    let outcome = try studio.run(
      """
      mkdir -m 700 other; cc -shared -fPIC -o nolock.so nolock.c
      export LD_PRELOAD="$PWD/nolock.so"; start a.wav > /dev/null
      mv "$XDG_RUNTIME_DIR/recorder" away; unshare -rumpf --mount-proc sh second
      mv away "$XDG_RUNTIME_DIR/recorder"; "$recorder" stop > /dev/null; echo $?
      """)
    #expect(outcome.output == "1\n11\n11\n0\n", "\(outcome)")
    #expect(!outcome.errors.contains("kill"), "\(outcome)")
  }

  @Test("recover --from saves the takes of a machine that no longer exists")
  func gone() throws {
    let studio = try Studio()
    let outcome = try studio.run(
      second(
        """
        "$recorder" permission grant > /dev/null
        start gone.wav > /dev/null; start --name b b.wav > /dev/null
        """) + """
          "$recorder" recover --list | grep -c part; "$recorder" recover > /dev/null 2> said
          grep -c 'belongs to "second"' said
          "$recorder" recover --from nobody 2> /dev/null; echo $?
          "$recorder" recover --from second | grep -c Recovered; "$recorder" status | head -n 1; ls *.wav
          """)
    #expect(
      outcome.output
        == "0\n2\n10\n2\nNothing is being recorded.\nb-recovered.wav\ngone-recovered.wav\n",
      "\(outcome)")
  }

  @Test("Two machines have separate grants, and a refusal on either counts on both")
  func grants() throws {
    let studio = try Studio()
    let status =
      "\"$recorder\" permission status --json | grep -o '\"status\":\"[a-zA-Z]*' | head -n 1 "
      + "| cut -d '\"' -f 4\n"
    let outcome = try studio.run(
      second(status + "\"$recorder\" permission grant > /dev/null\n" + status) + status
        + second(status + "\"$recorder\" permission revoke > /dev/null\n") + status
        + "\"$recorder\" permission grant > /dev/null\n" + status + second(status))
    #expect(
      outcome.output
        == "notDetermined\nauthorized\nauthorized\nauthorized\ndenied\nauthorized\nnotDetermined\n",
      "\(outcome)")
  }
}
