import Bus
import Linux
import Permission
import Testing

@testable import Guard

/// The store without a bus: the tests supply the answers.
@Suite("The portals' permission store of a guard")
struct PortalStoreTests {
  private var store = PortalStore()
  private let program: GuardedProgram

  init() throws {
    let client = try #require(Client(portalID: "org.example.App"))
    program = GuardedProgram(client: client, title: "App", process: .current())
  }

  private static func answer(
    _ request: UInt64, _ result: Result<[BusValue], BusFailure>
  ) -> BusEvent { .answer(to: request, from: ":1.1", result) }

  private static let refusal = BusFailure.refused("org.example.No", "no")

  private static func records(_ word: String) -> [BusValue] {
    [.array(of: "{sas}", [.entry("org.example.App", .strings([word]))]), .variant(.byte(0))]
  }

  @Test("A stored decision counts immediately, and its answer causes a new read")
  mutating func stored() {
    store.awaitChange(7, true, about: program)
    #expect(store.records.decisions[program.client] == true)
    let mustRead = store.handle(Self.answer(7, .success([])))
    let lost = store.takeUnstored()
    #expect(mustRead && lost.isEmpty)
  }

  @Test("A decision that the store refuses is returned once", arguments: [true, false])
  mutating func refused(isAllowed: Bool) {
    store.awaitChange(7, isAllowed, about: program)
    let mustRead = store.handle(Self.answer(7, .failure(Self.refusal)))
    let lost = store.takeUnstored()
    let again = store.takeUnstored()
    #expect(mustRead && lost.count == 1 && again.isEmpty)
    #expect(lost.first?.program == program && lost.first?.isAllowed == isAllowed)
    #expect(lost.first?.reason == "no")
  }

  @Test("A decision without an answer is returned when the bus ends")
  mutating func ended() {
    store.awaitChange(7, true, about: program)
    store.end(.ended(.timedOut))
    let lost = store.takeUnstored().map(\.program)
    #expect(lost == [program])
  }

  @Test("Only the answer to the last read counts, and none from before a decision")
  mutating func outdated() {
    store.awaitRecords(5)
    store.awaitRecords(6)
    _ = store.handle(Self.answer(5, .success(Self.records("no"))))
    #expect(store.records == .unread)
    _ = store.handle(Self.answer(6, .success(Self.records("no"))))
    #expect(store.records == PortalRecords([program.client: false]))
    store.awaitRecords(7)
    store.awaitChange(8, true, about: program)
    _ = store.handle(Self.answer(7, .success(Self.records("no"))))
    #expect(store.records.decisions[program.client] == true)
  }

  @Test("A failed read keeps the decisions that were read earlier")
  mutating func failed() {
    store.awaitRecords(5)
    _ = store.handle(Self.answer(5, .failure(Self.refusal)))
    #expect(store.records.fault == .unreadable("no"))
    store.awaitRecords(6)
    _ = store.handle(Self.answer(6, .success(Self.records("yes"))))
    #expect(store.records == PortalRecords([program.client: true]))
    store.awaitRecords(7)
    _ = store.handle(Self.answer(7, .failure(Self.refusal)))
    #expect(store.records == PortalRecords([program.client: true], fault: .absent("no")))
  }
}
