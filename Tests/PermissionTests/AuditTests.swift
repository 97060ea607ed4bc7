import Foundation
import Linux
import Testing

@testable import Commands
@testable import Permission

struct AuditTests {
  @Test("Files rotate below the limit, four old ones are kept, and the order is unchanged")
  func rotation() throws {
    let scratch = try Scratch()
    let audit = Audit(storage: scratch.store.storage, largest: 2_000)
    for number in 0..<100 { try audit.append(event(output: "\(number)")) }
    let names = try scratch.names().filter { $0.hasPrefix("audit") }
    #expect(names == ["audit.jsonl"] + (1...4).map { "audit.jsonl.\($0)" })
    for name in names {
      let size = try Data(contentsOf: URL(fileURLWithPath: scratch.store.path + "/" + name)).count
      #expect(size <= 2_000 && size > 1_500 || name == "audit.jsonl")
    }
    let told = try audit.log().entries.compactMap { $0.json["output"]?.string.flatMap { Int($0) } }
    #expect(told == Array((100 - told.count)..<100), "the newest, without a gap")
    #expect(told.count > 20)
  }

  @Test("While another process holds the lock, the file grows, and a later event rotates it")
  func lockedRotation() throws {
    let scratch = try Scratch()
    let storage = scratch.authority().waiting(upTo: .zero).store.storage
    let audit = Audit(storage: storage, largest: 1_000)
    try audit.append(event(output: "0"))
    let holder = open(scratch.store.path + "/permissions.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(holder, LOCK_EX) == 0)
    for number in 1..<20 { try audit.append(event(output: "\(number)")) }
    close(holder)
    #expect(try audit.log().entries.count == 20)
    #expect(try scratch.names().filter { $0.hasPrefix("audit") } == ["audit.jsonl"])
    try audit.append(event(output: "20"))
    #expect(try audit.log().entries.count == 21)
    #expect(try scratch.names().contains("audit.jsonl.1"))
  }

  @Test("Only the events since a given time are listed")
  func since() throws {
    let scratch = try Scratch()
    let audit = scratch.store.audit
    let clock = ClockReading.morning
    for hour in 0..<5 { try audit.append(event(at: clock.later(.seconds(hour * 3_600)))) }
    #expect(try audit.log(since: clock.wall + .seconds(7_200)).entries.count == 3)
    #expect(try audit.log(since: clock.wall + .seconds(99_999)).entries.isEmpty)
    #expect(try audit.log().entries.count == 5)
  }

  @Test("Hostile names stay within their line, in the file and on a terminal")
  func hostile() throws {
    let scratch = try Scratch()
    let names = [
      "a\n{\"event\":\"grant\"}", "\u{1B}]0;title\u{07}", "\u{202E}gnp.exe", "\u{9B}31m",
      "\u{2028}", "\u{7F}", "\u{0}", "\"}\\", String(repeating: "\u{1F600}", count: 100_000),
    ]
    for name in names {
      var event = event(output: name)
      event.device = name
      try scratch.store.audit.append(event)
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.store.path + "/audit.jsonl"))
    #expect(bytes.count { $0 == 10 } == names.count)
    #expect(bytes.count < 40_000)
    let log = try scratch.store.audit.log()
    #expect(log.damaged == 0 && log.entries.count == names.count)
    #expect(log.entries.first?.json["output"]?.string == names.first)
    for entry in log.entries {
      let harmless = entry.text.unicodeScalars.allSatisfy {
        ![.control, .format, .lineSeparator].contains($0.properties.generalCategory)
      }
      #expect(harmless)
    }
  }

  @Test("A duration is shown as a time, with any fraction")
  func duration() throws {
    let scratch = try Scratch()
    var event = event(output: "a.wav")
    event.duration = .seconds(77.09133333333332)
    try scratch.store.audit.append(event)
    let text = try #require(scratch.store.audit.log().entries.first?.text)
    #expect("\(text)  ".contains("  duration 1:17.091  "), "\(text)")
  }

  @Test("The log says why a program was not identified, and how many refusals an event stands for")
  func unknown() throws {
    let scratch = try Scratch()
    let authority = scratch.authority().acting(for: ProcessFacts(of: 0))
    let query = AccessQuery([.microphone], client: Client(ProgramIdentity.unknown(.ended)))
    let failure = authority.record(.refuse, query, [authority.decide(query)]) { $0.count = 7 }
    let text = try #require(scratch.store.audit.log().entries.first?.text)
    #expect(failure == nil && text.contains("  refuse  not decided yet  count 7  "), "\(text)")
    #expect(text.hasSuffix("  client unknown (its process has ended)"), "\(text)")
    #expect(try authority.programs().isEmpty)
  }

  @Test("A line that a full disk cut short counts as damaged, and the next line is intact")
  func cutShort() throws {
    let scratch = try Scratch()
    let audit = scratch.store.audit
    try audit.append(event(output: "first"))
    let path = scratch.store.path + "/audit.jsonl"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try scratch.write(whole + whole.prefix(20), to: path)
    try audit.append(event(output: "second"))
    let log = try audit.log()
    #expect(log.damaged == 1)
    #expect(log.entries.compactMap { $0.json["output"]?.string } == ["first", "second"])
  }

  @Test("An audit that others can write, or that is a link, is not written")
  func unfit() throws {
    let scratch = try Scratch()
    try scratch.store.audit.append(event())
    let path = scratch.store.path + "/audit.jsonl"
    try scratch.setMode(0o666, of: path)
    let flaw = FileFlaw.writableByOthers(0o666)
    #expect(throws: StoreFailure.unusable(.file(path, flaw))) {
      try scratch.store.audit.append(event())
    }
    let outcome = try scratch.authority().perform(.grant(.forever), AccessQuery())
    let report = PermissionPhrasing().summary(outcome)
    #expect(report.exit == .done, "the grant does not depend on it")
    let warning = "the decision could not be written to the permission log: "
    #expect(report.warnings.contains { $0.hasPrefix(warning) && $0.contains(path) })
  }

  @Test("The remedy for a log that cannot be trusted does not reset the decisions")
  func remedy() throws {
    let scratch = try Scratch()
    try scratch.store.audit.append(event())
    let path = scratch.store.path + "/audit.jsonl"
    try FileManager.default.linkItem(atPath: path, toPath: path + ".link")
    let error = #expect(throws: StoreFailure.self) { try scratch.store.audit.log() }
    let message = try Failure(#require(error)).message
    #expect(message.fact.hasPrefix("your permission files cannot be trusted: \"\(path)\""))
    #expect(message.advice.count == 1 && message.advice.first?.contains("mv \(path) ") == true)
  }

  private func event(
    at clock: ClockReading = .morning, output: String? = nil
  ) -> AuditEvent {
    let facts = ProcessFacts(user: 1, id: 2, parent: 3, executable: "/x", terminal: nil)
    var event = AuditEvent(kind: .start, clock: clock, process: facts, subject: .everyone)
    event.output = output
    return event
  }
}
