import Foundation
import Linux
import Support
import Testing

@testable import Permission

@Suite("The decisions of machines that share a home")
struct MachinesTests {
  private let yes = Record(.forever, at: .now, by: .command)
  private let no = Record(.denied, at: .now, by: .command)

  private func store(_ machine: String, _ scratch: Scratch) -> PermissionStore {
    PermissionStore(
      path: scratch.store.path, owner: StoreOwner(user: Environment.effectiveUser, machine: machine)
    )
  }

  private func apply(_ change: LedgerChange, _ store: PermissionStore) throws {
    _ = try store.update(at: .now) { _ in change }
  }

  /// Returns the decision about a subject, from the ledger alone.
  private func state(_ subject: Subject, _ store: PermissionStore) -> String {
    guard let records = store.read().ledger?.carried(to: store.owner).records else {
      return "-"
    }
    let everyone = Subject(subject.service, .everyone)
    if records[everyone]?.isDenial == true || records[subject]?.isDenial == true { return "no" }
    return records[subject] == nil ? "-" : "yes"
  }

  @Test("A grant on one machine leaves the grants of another one unchanged")
  func grants() throws {
    let scratch = try Scratch()
    let (a, b) = (store("a", scratch), store("b", scratch))
    try apply(.record(.everyone, yes), a)
    let before = try scratch.bytes()
    try apply(.record(.everyone, yes), b)
    #expect(state(.everyone, a) == "yes" && state(.everyone, b) == "yes")
    #expect(try scratch.bytes() == before)
    try apply(.record(.dictation, yes), a)
    #expect(state(.dictation, a) == "yes" && state(.dictation, b) == "-")
  }

  @Test("A refusal on either machine counts on both, and no reset restores a grant")
  func refusals() throws {
    for refusing in ["a", "b"] {
      let scratch = try Scratch()
      let (a, b) = (store("a", scratch), store("b", scratch))
      for store in [a, b] { try apply(.record(.everyone, yes), store) }
      try apply(.record(.everyone, no), store(refusing, scratch))
      #expect(state(.everyone, a) == "no" && state(.everyone, b) == "no")
      try apply(.forget(.everyone), b)
      #expect(state(.everyone, a) == "-" && state(.everyone, b) == "-", "\(refusing)")
    }
  }

  @Test("A grant undoes the refusal of any machine, and grants on this machine only")
  func grantAfterRefusal() throws {
    let scratch = try Scratch()
    let (a, b) = (store("a", scratch), store("b", scratch))
    try apply(.record(.dictation, yes), a)
    try apply(.record(.everyone, no), a)
    try apply(.record(.everyone, yes), b)
    #expect(state(.everyone, b) == "yes" && state(.everyone, a) == "-")
    #expect(state(.dictation, a) == "-")
  }

  @Test("A reset removes the grants of this machine, and every refusal")
  func reset() throws {
    let scratch = try Scratch()
    let (a, b) = (store("a", scratch), store("b", scratch))
    for store in [a, b] { try apply(.record(.everyone, yes), store) }
    try apply(.record(.dictation, no), b)
    try apply(.forget(.everyone), b)
    #expect(state(.everyone, a) == "yes" && state(.everyone, b) == "-")
    #expect(state(.dictation, a) == "-")
  }

  @Test("A refusal of one service keeps every machine's grants of the other service")
  func services() throws {
    let scratch = try Scratch()
    let (a, b) = (store("a", scratch), store("b", scratch))
    for store in [a, b] {
      try apply(.record(.everything(.caller), yes), store)
      try apply(.record(Scope([.systemAudio], .dictation), yes), store)
    }
    try apply(.record(Scope([.systemAudio], .everyone), no), a)
    for store in [a, b] {
      #expect(state(.everyone, store) == "yes" && state(Subject.everyone.other, store) == "no")
    }
    try apply(.forget(Scope([.systemAudio], .everyone)), b)
    for store in [a, b] {
      #expect(state(.everyone, store) == "yes" && state(Subject.everyone.other, store) == "-")
      #expect(state(Subject.dictation.other, store) == "-")
    }
  }

  @Test("A session grant on one machine does not affect another machine")
  func sessionGrants() throws {
    let scratch = try Scratch()
    let (a, b) = (store("a", scratch), store("b", scratch))
    try apply(.record(.everyone, yes), a)
    let session = try #require(SessionID("s1"))
    try apply(.sessionGrant(session, SessionGrant(.everyone, at: .now, by: .prompt, boot: "b2")), b)
    try apply(.record(.dictation, yes), a)
    #expect(
      b.read().ledger?.sessionGrants[session] != nil
        && a.read().ledger?.sessionGrants.isEmpty == true)
    try apply(.record(.everyone, no), a)
    try apply(.record(.everyone, yes), a)
    #expect(b.read().ledger?.carried(to: b.owner).sessionGrants.isEmpty == true)
  }

  @Test("An untrusted file of grants refuses its own machine only, and is moved aside")
  func damaged() throws {
    let scratch = try Scratch()
    let (a, b) = (store("a", scratch), store("b", scratch))
    for store in [a, b] { try apply(.record(.everyone, yes), store) }
    try scratch.write(Data("checksum 0\n{}\n".utf8), to: scratch.store.path + "/grants/b.json")
    guard case .unusable = b.read() else {
      Issue.record("it was believed")
      return
    }
    #expect(state(.everyone, a) == "yes")
    let path = try b.moveAway(at: .now)?.path
    #expect(path?.contains("/grants/b.json.bad-") == true)
    #expect(state(.everyone, b) == "-" && state(.everyone, a) == "yes")
    // No file is bad any more.
    #expect(try b.moveAway(at: .now)?.path == nil)
    #expect(state(.everyone, a) == "yes")
  }

  @Test("In any order, each of three machines has its own grants, and all have the same refusals")
  func random() throws {
    var random = SeededGenerator(seed: 7)
    let scratch = try Scratch()
    let stores = ["a", "b", "c"].map { store($0, scratch) }
    let clients = [Client.everyone, .dictation, try #require(Client("x"))]
    let subjects = Service.allCases.flatMap { service in clients.map { Subject(service, $0) } }
    let choices: [Set<Service>] = [[.microphone], [.systemAudio], Set(Service.allCases)]
    var refused: Set<Subject> = []
    var granted = stores.map { _ in Set<Subject>() }
    for step in 0..<600 {
      let machine = Int.random(in: 0..<3, using: &random)
      let client = clients[Int.random(in: 0..<3, using: &random)]
      let scope = Scope(choices[Int.random(in: 0..<3, using: &random)], client)
      let change: LedgerChange
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        change = .record(scope, no)
        refused.formUnion(scope.subjects)
        for index in granted.indices {
          granted[index] = granted[index].filter { !scope.contains($0) }
        }
      case 1:
        change = .forget(scope)
        refused = refused.filter { !scope.contains($0) }
        granted[machine] = granted[machine].filter { !scope.contains($0) }
      default:
        change = .record(scope, yes)
        refused.subtract(scope.subjects)
        granted[machine].formUnion(scope.subjects)
      }
      try apply(change, stores[machine])
      for (index, store) in stores.enumerated() {
        for subject in subjects {
          let everyone = Subject(subject.service, .everyone)
          let isRefused = refused.contains(subject) || refused.contains(everyone)
          let expected = isRefused ? "no" : granted[index].contains(subject) ? "yes" : "-"
          #expect(state(subject, store) == expected, "step \(step), machine \(index), \(subject)")
        }
      }
    }
  }
}
