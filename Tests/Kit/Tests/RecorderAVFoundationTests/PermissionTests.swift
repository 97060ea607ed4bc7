import Bench
import RecorderAVFoundation
import Testing

/// Rows 101 to 119 of the conformance table: the permission, the session and the callbacks.
@Suite("Permission and session")
struct PermissionTests {
  let probe: Probe

  init() throws { probe = try Probe() }

  @Test("Row 101: notDetermined, restricted, denied and authorized have the raw values 0 to 3")
  func rawValues() throws {
    #expect(AVAuthorizationStatus.restricted.rawValue == 1)
    #expect(try status("audio") == "0")
    try probe.decide("revoke")
    #expect(try status("audio") == "2")
    try probe.decide("grant")
    #expect(try status("audio") == "3")
  }

  @Test("Row 102: reading the status does not ask, write or open anything")
  func asksNobody() throws {
    #expect(try status("audio") == "0")
    #expect(probe.state.isEmpty)
    let terminal = try Terminal()
    try terminal.start(Probe.path, ["status"], environment: probe.environment)
    let shown = try #require(terminal.read(until: "session"))
    #expect(!shown.contains("Allow"))
    #expect(probe.state.isEmpty)
  }

  @Test("Row 103: access to video is denied, because nothing captures it")
  func video() throws {
    try probe.decide("grant")
    #expect(try status("video") == "2")
    #expect(try probe.run("request", "video").output.hasPrefix("granted false"))
  }

  @Test(
    "Row 104: a known decision returns immediately",
    arguments: [("grant", true), ("revoke", false)])
  func decided(decision: String, granted: Bool) throws {
    try probe.decide(decision)
    #expect(try probe.run("request", "handler").output.hasPrefix("granted \(granted)"))
  }

  @Test("Row 105: an answer is stored", arguments: [("y", true, 3), ("n", false, 2)])
  func answer(key: String, granted: Bool, status: Int) throws {
    let shown = try ask("async", key)
    #expect(shown.contains("granted \(granted)"))
    #expect(try self.status("audio") == "\(status)")
  }

  @Test("Row 106: without a terminal, nothing is granted or decided")
  func noTerminal() throws {
    let end = try Command.run(
      "/usr/bin/setsid", ["--wait", Probe.path, "request"], environment: probe.environment)
    #expect(end.output.contains("granted false"))
    #expect(try status("audio") == "0")
  }

  @Test("Row 107: the handler is called asynchronously")
  func handler() throws {
    try probe.decide("grant")
    #expect(try probe.run("request", "handler").output.hasPrefix("granted true after true"))
  }

  @Test("Row 108: a cancelled task withdraws the question, and nothing is decided")
  func cancelled() throws {
    let terminal = try Terminal()
    try terminal.start(Probe.path, ["request", "cancelled"], environment: probe.environment)
    _ = try #require(terminal.read(until: "Allow recorder to use the microphone?"))
    try probe.scratch.write("", to: "home/cancel")
    let shown = try #require(terminal.read(until: "status "))
    #expect(shown.contains("granted false"))
    #expect(try status("audio") == "0")
  }

  @Test("Row 109: two simultaneous requests ask one question")
  func two() throws {
    let shown = try ask("two", "y")
    #expect(shown.contains("granted true true"))
    #expect(shown.components(separatedBy: "Allow recorder to use the microphone?").count == 2)
  }

  @Test("Row 110: a program asks under its own name, and a grant to another does not count")
  func client() throws {
    try probe.recorder("permission", "grant", "--as", "somebody-else")
    #expect(try status("audio") == "0")
    try probe.recorder("permission", "grant", "--as", Probe.client)
    #expect(try status("audio") == "3")
  }

  @Test("Row 111: the session is a single object")
  func session() {
    #expect(AVAudioSession.sharedInstance() === AVAudioSession.sharedInstance())
    #expect(AVAudioApplication.shared === AVAudioApplication.shared)
  }

  @Test("Row 112: the permission to record has Apple's raw values")
  func recordPermission() throws {
    #expect(AVAudioSession.RecordPermission.undetermined.rawValue == 1_970_168_948)
    #expect(AVAudioSession.RecordPermission.denied.rawValue == 1_684_369_017)
    #expect(AVAudioSession.RecordPermission.granted.rawValue == 1_735_552_628)
    #expect(try status("session") == "1970168948")
    try probe.decide("revoke")
    #expect(try status("session") == "1684369017")
    try probe.decide("grant")
    #expect(try status("session") == "1735552628")
  }

  @Test(
    "Row 113: the application and the session agree", arguments: ["reset", "revoke", "grant"])
  func application(decision: String) throws {
    try probe.decide(decision)
    let lines = try probe.run("status").output
    let numbers = ["reset": "1970168948", "revoke": "1684369017", "grant": "1735552628"]
    #expect(try value("application", in: lines) == numbers[decision])
    #expect(try value("session", in: lines) == numbers[decision])
  }

  @Test("Row 116: the next read of the status shows a revocation")
  func revoked() throws {
    try probe.decide("grant")
    #expect(try status("audio") == "3")
    try probe.decide("revoke")
    #expect(try status("audio") == "2")
  }

  private func status(_ name: String) throws -> String {
    try value(name, in: probe.run("status").output)
  }

  private func value(_ name: String, in output: String) throws -> String {
    let line = output.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return String(try #require(line, "\(output)").dropFirst(name.count + 1))
  }

  /// Asks in a terminal and types an answer.
  private func ask(_ form: String, _ answer: String) throws -> String {
    let terminal = try Terminal()
    try terminal.start(Probe.path, ["request", form], environment: probe.environment)
    _ = try #require(terminal.read(until: "Enter = not now"))
    terminal.type(answer + "\n")
    return try #require(terminal.read(until: "status "))
  }
}
