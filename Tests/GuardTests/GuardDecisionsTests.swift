import Linux
import Testing

@testable import Guard
@testable import Permission

@Suite("The decisions of the guard")
struct GuardDecisionsTests {
  private static let arecord = Client(.path(Path("/usr/bin/aplay")))

  private static func session(_ connection: UInt32) -> SessionID? {
    SessionID("guard.7.\(connection)")
  }

  private var decisions = GuardDecisions()
  private var made = 0

  /// Asks for the decision about a connection. Returns how many decisions were made so far.
  private mutating func look(
    _ connection: UInt32 = 40, _ service: Service = .microphone, _ client: Client = arecord,
    remaining: Duration? = nil
  ) -> Int {
    let decision = Decision(
      status: .authorized, reason: .timed, source: .nothing, service: service, client: client,
      since: nil, remaining: remaining, expiresAt: nil, noPrompt: nil, notes: [])
    var count = made
    let query = AccessQuery([service], client: client, session: Self.session(connection))
    let found = decisions.decision(on: query, at: .zero) { _ in
      count += 1
      return decision
    }
    made = count
    #expect(found.client == client && found.service == service)
    return count
  }

  @Test("A program that opens many streams has one decision for each service")
  mutating func streams() {
    for _ in 0..<1_000 { #expect(look() == 1) }
    for _ in 0..<1_000 { #expect(look(40, .systemAudio) == 2) }
    #expect(look(41) == 3)
  }

  @Test("A connection has another decision once its program is identified, and after a change")
  mutating func changed() {
    #expect(look(40, .microphone, Client(.unknown(.noProcess))) == 1)
    #expect(look() == 2 && look() == 2)
    decisions.forget()
    #expect(look() == 3)
  }

  @Test("Decisions end with their connection, and all at the first expiry")
  mutating func ended() throws {
    let (first, second) = try (#require(Self.session(40)), #require(Self.session(41)))
    #expect(look(40, remaining: .seconds(9)) == 1 && look(41, remaining: .seconds(5)) == 2)
    #expect(decisions.expiry == .seconds(5))
    decisions.forget(unless: [second], at: .seconds(4))
    #expect(look(41) == 2 && look(40) == 3)
    decisions.forget(unless: [first, second], at: .seconds(5))
    #expect(decisions.expiry == nil && look(40) == 4 && look(41) == 5)
  }

  @Test("A connection without a line in the log is refused until the log works, or until it ends")
  mutating func unlogged() throws {
    let session = try #require(Self.session(40))
    let query = AccessQuery([.microphone], client: Self.arecord, session: session)
    var other = query
    other.services = [.systemAudio]
    decisions.refuse(unlogged: query)
    decisions.forget()
    decisions.forget(unless: [session], at: .zero)
    #expect(decisions.isUnlogged(query) && !decisions.isUnlogged(other))
    let wasRefused = decisions.acceptUnlogged()
    let isRefused = decisions.acceptUnlogged()
    #expect(wasRefused && !isRefused && !decisions.isUnlogged(query))
    decisions.refuse(unlogged: query)
    decisions.forget(unless: [], at: .zero)
    #expect(!decisions.isUnlogged(query))
  }
}
