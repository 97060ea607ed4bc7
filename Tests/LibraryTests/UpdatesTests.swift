import Synchronization
import Testing

@testable import RecorderKit

@Suite("A sequence of events")
struct UpdatesTests {
  @Test("A listener that joins while the last one leaves is reported after it")
  func order() {
    let source = Broadcast<Int>(keeping: 1)
    let calls = Mutex<[Bool]>([])
    let joined = Mutex<Updates<Int>.AsyncIterator?>(nil)
    source.whenAudienceChanges { hasAudience in
      // Another listener joins before this call is complete.
      if !hasAudience { joined.withLock { $0 = source.updates.makeAsyncIterator() } }
      calls.withLock { $0.append(hasAudience) }
    }
    do { _ = source.updates.makeAsyncIterator() }
    #expect(calls.withLock { $0 } == [true, false, true])
    #expect(source.hasAudience)
    source.whenAudienceChanges { _ in }
  }

  @Test("A listener that leaves after another has joined is not reported")
  func overlap() {
    let source = Broadcast<Int>(keeping: 1)
    let calls = Mutex<[Bool]>([])
    source.whenAudienceChanges { hasAudience in calls.withLock { $0.append(hasAudience) } }
    var listeners = [source.updates.makeAsyncIterator()]
    listeners.append(source.updates.makeAsyncIterator())
    listeners.removeFirst()
    #expect(calls.withLock { $0 } == [true])
    listeners.removeAll()
    #expect(calls.withLock { $0 } == [true, false])
  }
}
