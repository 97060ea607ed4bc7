import Glibc
import Support
import Synchronization
import Testing

@testable import Linux

@Suite("Threads")
struct ThreadTests {
  @Test("A thread runs its body under its name, cut to the kernel's limit")
  func name() throws {
    let box = NameBox()
    try Thread("a name of eighteen") { box.set(ThreadTests.currentName()) }.join()
    #expect(box.value == "a name of eight")
  }

  @Test("Without the right to a priority, a thread runs as an ordinary one")
  func refused() async {
    await #expect(processExitsWith: .success) {
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(14), &none)
      if geteuid() == 0 { #expect(setuid(65534) == 0) }
      let policy = Mutex<CInt?>(nil)
      try Thread("urgent", priority: .realTime(10)) {
        policy.withLock { $0 = sched_getscheduler(0) }
      }.join()
      #expect(policy.withLock(\.self) == SCHED_OTHER)
    }
  }

  @Test("The ordinary threads of a real-time thread are ordinary, and so is what it starts as one")
  func inherited() throws {
    let policies = Mutex<[CInt]>([])
    let note = { @Sendable in policies.withLock { $0.append(sched_getscheduler(0)) } }
    try Thread("urgent", priority: .realTime(1)) {
      note()
      try? Thread("ordinary", body: note).join()
      // Like a thread of a library, this one inherits.
      Thread.asOrdinary { ThreadTests.inherit(note) }
      note()
    }.join()
    let all = policies.withLock(\.self)
    if all.first != SCHED_FIFO { try Test.cancel("this process may not use real-time threads") }
    #expect(all == [SCHED_FIFO, SCHED_OTHER, SCHED_OTHER, SCHED_FIFO])
  }

  /// Runs a function on a thread with the scheduling of this one.
  private static func inherit(_ body: @escaping @Sendable () -> Void) {
    inherited.withLock { $0 = body }
    var thread = pthread_t()
    let begun = pthread_create(
      &thread, nil,
      { _ in
        ThreadTests.inherited.withLock { $0 }?()
        return nil
      }, nil)
    if begun == 0 { pthread_join(thread, nil) }
  }

  private static let inherited = Mutex<(@Sendable () -> Void)?>(nil)

  @Test("A thread that starts apart may run on all of its creator's processors, even on just one")
  func apart() throws {
    let seen = Mutex<[[Processors?]]>([])
    try Thread("creator") {
      var places = Processors.allowed
      while let allowed = places {
        try? Thread("apart", startsApart: true) {
          seen.withLock { $0.append([allowed, Processors.allowed]) }
        }.join()
        places = allowed.others
        guard let next = places else { return }
        next.admit()
        if Processors.allowed != next { return seen.withLock { $0.append([next, nil]) } }
      }
    }.join()
    let pairs = seen.withLock(\.self)
    #expect(pairs.count == Set(pairs.map { $0[0] }).count && !pairs.isEmpty)
    for pair in pairs { #expect(pair[0] == pair[1] && pair[0] != nil) }
  }

  @Test("A thread that is restricted to other processors starts on one of them")
  func restricted() throws {
    let allowed = try #require(Processors.allowed)
    guard let others = allowed.others else { try Test.cancel("there is one processor only") }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    others.restrict(&attributes)
    var thread = pthread_t()
    let begun = pthread_create(
      &thread, &attributes,
      { _ in
        ThreadTests.begun.withLock { $0 = Processors.allowed }
        return nil
      }, nil)
    try #require(begun == 0)
    pthread_join(thread, nil)
    #expect(Self.begun.withLock(\.self) == others)
  }

  private static let begun = Mutex<Processors?>(nil)

  @Test("A priority that does not exist is an error")
  func impossible() {
    #expect(throws: SystemError.self) { _ = try Thread("x", priority: .realTime(1000)) {} }
  }

  @Test("A non-copyable value is handed to another thread once")
  func handoff() throws {
    let handoff = Handoff(try Event())
    let result = NameBox()
    try Thread("taker") {
      guard let event = handoff.take() else { return }
      event.signal()
      result.set(event.clear() ? "signalled" : "quiet")
    }.join()
    #expect(result.value == "signalled")
    let isGone = handoff.take() == nil
    #expect(isGone)
  }

  static func currentName() -> String {
    let file = try? Descriptor(opening: "/proc/thread-self/comm")
    let bytes = (try? file?.readAll(upTo: 100)) ?? []
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }
}

/// A text that one thread sets and another reads.
final class NameBox: Sendable {
  private let text = Mutex("")

  func set(_ value: String) { text.withLock { $0 = value } }
  var value: String { text.withLock { $0 } }
}
