import Foundation
import Linux
import Testing

@testable import Commands
@testable import Permission

struct PolicyFileTests {
  static let authorizing =
    #"{"version":1,"rules":[{"service":"microphone","match":{},"status":"authorized"}]}"#
  static let restricting =
    #"{"version":1,"rules":[{"service":"microphone","match":{"users":[]},"status":"restricted"}]}"#
  static let empty = #"{"version":1,"rules":[]}"#

  @Test("A policy is read completely")
  func whole() throws {
    let scratch = try Scratch()
    try scratch.policy(
      """
      {"version": 1, "allowPrompt": false, "rules": [
        {"service": "microphone", "status": "restricted", "reason": "exam", "contact": "room 12",
         "match": {"users": ["alice"], "groups": ["students"], "devices": ["hw:Exam*"]}}]}
      """)
    let rule = Rule(
      users: ["alice"], groups: ["students"], devices: [known(Glob("hw:Exam*"))],
      status: .restricted,
      reason: "exam", contact: "room 12")
    let file = scratch.policies + "/10-site.json"
    #expect(
      scratch.directories.load()
        == .usable([Policy(file: file, rules: [rule], allowsPrompt: false)]))
  }

  @Test("Without a directory there is no policy")
  func nothing() throws {
    #expect(try Scratch().directories.load() == .none)
  }

  @Test("Files count in the order of their names, and the first directory hides the second one")
  func orderAndMask() throws {
    let scratch = try Scratch()
    try scratch.policy(Self.restricting, "20-b.json", vendor: true)
    try scratch.policy(Self.empty, "10-a.json", vendor: true)
    try scratch.policy(Self.empty, "20-b.json")
    try scratch.policy(Self.empty, "9.json")
    let checked = scratch.directories.check()
    let names = checked.map { ($0.file as NSString).lastPathComponent }
    #expect(names == ["10-a.json", "20-b.json", "9.json"])
    #expect(checked[1].file.hasPrefix(scratch.policies))
    #expect(checked[1].hidden.count == 1)
    #expect(scratch.authority().decide(AccessQuery()).status == .notDetermined)
  }

  @Test("Only names that end in .json and do not start with a dot are read")
  func names() throws {
    let scratch = try Scratch()
    for name in [".hidden.json", "a.json~", "b.JSON", "README", "c.json.dpkg-new"] {
      try scratch.policy("broken", name)
    }
    #expect(scratch.directories.load() == .none)
  }

  @Test("A policy that cannot be trusted refuses everything, and says why")
  func unfit() throws {
    try expectFault(.writableByOthers(0o666)) { try $0.setMode(0o666, of: $1) }
    try expectFault(.symbolicLink) { scratch, file in
      try FileManager.default.moveItem(atPath: file, toPath: scratch.path + "/target")
      try FileManager.default.createSymbolicLink(
        atPath: file, withDestinationPath: scratch.path + "/target")
    }
    try expectFault(.notRegular) { _, file in
      try FileManager.default.removeItem(atPath: file)
      #expect(mkfifo(file, 0o600) == 0)
    }
    try expectFault(.tooLarge(limit: 65_536)) { scratch, file in
      try Data(count: 65_537).write(to: URL(fileURLWithPath: file))
    }
  }

  @Test(
    "A policy file of another owner is refused",
    .enabled(if: geteuid() == 0, "only root can give files away"))
  func foreign() throws {
    try expectFault(.owner(65_534)) { #expect(chown($1, 65_534, 65_534) == 0) }
  }

  @Test("A directory that others can write, or whose parent they can write, is refused")
  func unfitDirectory() throws {
    for (directory, reason) in [
      ("/recorder.policy/policy.d", DirectoryRefusal.Reason.writableByOthers(0o777)),
      ("/recorder.policy", .exposed(.everyone(0o777))),
    ] {
      let scratch = try Scratch()
      try scratch.policy(Self.authorizing)
      try scratch.setMode(0o777, of: scratch.path + directory)
      let refusal = DirectoryRefusal(scratch.path + directory, reason)
      #expect(scratch.directories.load() == .unusable(.directory(refusal)))
      let report = PermissionPhrasing().summary(
        try scratch.authority().perform(.status, AccessQuery()))
      #expect(report.exit == .permissionUnusable)
      #expect(report.lines.contains { $0.contains("chmod go-w") })
    }
  }

  @Test("A policy whose directory is missing counts as moved away if others could do that")
  func movedAway() throws {
    let scratch = try Scratch()
    try scratch.policy(Self.authorizing)
    try FileManager.default.moveItem(
      atPath: scratch.path + "/recorder.policy", toPath: scratch.path + "/elsewhere")
    #expect(scratch.directories.load() == .usable([]))
    try scratch.setMode(0o777, of: scratch.path)
    let refusal = DirectoryRefusal(scratch.path, .exposed(.everyone(0o777)))
    #expect(scratch.directories.load() == .unusable(.directory(refusal)))
  }

  @Test("Two names that look the same are two policies, and a mark before .json hides none")
  func lookalikes() throws {
    let scratch = try Scratch()
    let names = ["\u{E9}.json", "e\u{301}.json", "\u{600}.json"]
    for name in names { try scratch.policy(Self.authorizing, name) }
    #expect(scratch.directories.load().files.count == 3)
  }

  @Test("A policy requires the audit only if it says so")
  func requiredAudit() throws {
    let demanding = #"{"version":1,"rules":[],"auditRequired":true}"#
    let policy = try Policy(decoding: Array(demanding.utf8), file: "a")
    #expect(Policies.usable([policy]).requiresAudit == "a")
    let silent = try Policy(decoding: Array(#"{"version":1,"rules":[]}"#.utf8), file: "b")
    #expect(Policies.usable([silent]).requiresAudit == nil)
  }

  @Test(
    "The check names the line and the column of the fault",
    arguments: [
      ("{\n  \"version\": 1,\n  \"rules\": [}\n", 3, 13, "near"),
      ("{\"version\":1,\n\"rules\":[],\n  \"Rules\":[]}", 3, 3, "\"Rules\" is unknown"),
      ("{\"version\":2,\"rules\":[]}", 1, 2, "version 2"),
      ("{\"version\":1}", 1, 1, "\"rules\" is missing"),
      (
        "{\"version\":1,\n\"rules\":[\n{\"match\":{},\"status\":\"denied\",\"service\":\"microphone\"}]}",
        3,
        13, "\"status\" must be \"restricted\" or \"authorized\""
      ),
      (
        "{\"version\":1,\"rules\":[{\"service\":\"microphone\",\"status\":\"authorized\"}]}", 1, 23,
        "\"match\" is missing"
      ),
      (
        "{\"version\":1,\"rules\":[{\"service\":\"microphone\",\"status\":\"authorized\",\n\"match\":{\"clients\":[]}}]}",
        2, 10, "\"clients\" is unknown"
      ),
      (
        "{\"version\":1,\"rules\":[{\"service\":\"microphone\",\"status\":\"authorized\",\n\"match\":{\"groups\":[],  \"devices\":[\"hw:[12]\"]}}]}",
        2, 24, "devices"
      ),
      (
        "{\"version\":1,\"rules\":[{\"service\":\"camera\"},{\"x\":{\"y\":[1,\"}\"]}}]}", 1, 24,
        "service"
      ),
      (
        "{\"version\":1,\"rules\":[{\"service\":\"microphone\",\"match\":{},\"status\":\"authorized\"},\n {\"a\\\"b\":1}]}",
        2, 3, "is unknown"
      ),
      ("{\"version\":1,\"rules\":[],\n \"allowPrompt\":1}", 2, 2, "allowPrompt"),
      ("[]", 1, 1, "object"),
      ("{\"version\":1,\"rules\":[],\"rules\":[]}", 1, 31, "duplicate"),
      (
        "{\"version\":1,\"rules\":[{\"service\":\"microphone\",\"match\":{\"users\":[\"\"]},\"status\":\"authorized\"}]}",
        1, 56, "empty name"
      ),
    ])
  func places(text: String, line: Int, column: Int, words: String) throws {
    let scratch = try Scratch()
    try scratch.policy(text)
    let file = scratch.policies + "/10-site.json"
    let fault = try #require(PolicyDirectories.check(file: file).fault)
    #expect(fault.words.hasPrefix("\(file):\(line):\(column): "), "\(fault.words)")
    #expect(fault.words.contains(words), "\(fault.words)")
    #expect(scratch.directories.load() == .unusable(fault))
  }

  @Test("A draft is checked in any directory and with any owner")
  func draft() throws {
    let scratch = try Scratch()
    let file = scratch.path + "/draft"
    try scratch.write(Data(Self.restricting.utf8), to: file, mode: 0o666)
    #expect(PolicyDirectories.check(file: file).fault == nil)
    #expect(PolicyDirectories.check(file: scratch.path + "/none").fault != nil)
  }

  @Test("A policy that is cut at any length is refused")
  func truncated() throws {
    let whole = Array(Self.restricting.utf8)
    for length in 0..<whole.count {
      #expect(throws: PolicyFlaw.self) {
        try Policy(decoding: Array(whole.prefix(length)), file: "x")
      }
    }
    _ = try Policy(decoding: whole, file: "x")
  }

  private func expectFault(
    _ flaw: FileFlaw, _ spoil: (Scratch, String) throws -> Void
  ) throws {
    let scratch = try Scratch()
    try scratch.policy(Self.authorizing)
    let file = scratch.policies + "/10-site.json"
    #expect(scratch.authority().decide(AccessQuery()).status == .authorized)
    try spoil(scratch, file)
    #expect(scratch.directories.load() == .unusable(.file(file, flaw)))
    #expect(scratch.authority().decide(AccessQuery()).exitCode == .permissionUnusable)
  }
}
