package import Bus
internal import Linux
package import Permission

/// The permission store of the desktop's portals. It has the desktop's decisions about the
/// microphone for Flatpak programs.
package struct PortalStore: Sendable {
  /// The records of the last answer.
  package private(set) var records = PortalRecords.unread
  /// The number of the request for the records, until its answer arrives.
  private var reading: UInt64?
  /// The decisions in unanswered requests to the store, by the numbers of the requests.
  private var changes: [UInt64: (program: GuardedProgram, isAllowed: Bool?)] = [:]
  private var unstored: [Unstored] = []

  /// A decision that the store did not accept, and the reason.
  package typealias Unstored = (program: GuardedProgram, isAllowed: Bool, reason: String)

  private static let interface = "org.freedesktop.impl.portal.PermissionStore"
  private static let entry: [BusValue] = [.string("devices"), .string("microphone")]

  private static func method(_ name: String) -> BusMethod {
    BusMethod(name, of: interface, at: "/org/freedesktop/impl/portal/PermissionStore", interface)
  }

  /// The store before it was read.
  package init() {}
}

extension PortalStore {
  /// Reads the store, and waits for it up to two seconds.
  package static func read() -> PortalRecords {
    do throws(BusFailure) {
      return read(try SessionBus())
    } catch {
      return PortalRecords(error)
    }
  }

  private static func read(_ bus: borrowing SessionBus) -> PortalRecords {
    do throws(BusFailure) {
      return PortalRecords(try bus.call(method("Lookup"), entry))
    } catch {
      return PortalRecords(error)
    }
  }

  /// Stores the decision about a program, or removes it if `isAllowed` is nil. Waits for the answer
  /// up to two seconds.
  package static func write(_ isAllowed: Bool?, about client: Client) throws(GuardError) {
    guard let (method, values) = change(isAllowed, client) else { return }
    do throws(BusFailure) {
      _ = try SessionBus().call(method, values)
    } catch {
      guard isAllowed == nil, error.meansNoEntry else { throw .portal("\(error)") }
    }
  }

  /// Returns the request that stores a decision, or removes it if `isAllowed` is nil. Returns nil
  /// if the client is not a Flatpak program.
  private static func change(
    _ isAllowed: Bool?, _ client: Client
  ) -> (method: BusMethod, values: [BusValue])? {
    guard let program = client.portalID else { return nil }
    guard let isAllowed else {
      return (method("DeletePermission"), entry + [.string(program)])
    }
    let words = BusValue.strings([isAllowed ? "yes" : "no"])
    // The flag creates the entry of the microphone if it does not exist.
    return (
      method("SetPermission"), [entry[0], .bool(true), entry[1], .string(program), words]
    )
  }
}

extension PortalStore {
  /// Subscribes to changes of the store and reads it. Waits up to two seconds for the answer.
  /// Without an answer, the store counts as unreadable until it answers.
  package mutating func watch(_ bus: borrowing SessionBus) throws(BusFailure) {
    try bus.watch(Self.interface)
    try requestRecords(bus)
    let deadline = KernelClock.monotonic.now + SessionBus.patience
    while true {
      // Messages that arrive during this wait do not end a later wait, so all of them are handled
      // here.
      for event in try bus.events() {
        if handle(event) { try requestRecords(bus) }
      }
      if reading == nil { return }
      guard try bus.wait(until: deadline) else {
        records = PortalRecords(.ended(.timedOut))
        return
      }
    }
  }

  /// Stores the decision about a program, or removes it if `isAllowed` is nil, without waiting.
  /// After the answer, the records are read again.
  package mutating func write(
    _ isAllowed: Bool?, about program: GuardedProgram, on bus: borrowing SessionBus
  ) throws(BusFailure) {
    guard let (method, values) = Self.change(isAllowed, program.client) else { return }
    do throws(BusFailure) {
      awaitChange(try bus.send(method, values), isAllowed, about: program)
    } catch {
      lose((program, isAllowed), error)
      throw error
    }
  }

  /// Expects the answer to a request that stores a decision.
  mutating func awaitChange(
    _ request: UInt64, _ isAllowed: Bool?, about program: GuardedProgram
  ) {
    changes[request] = (program, isAllowed)
    records.decisions[program.client] = isAllowed
    // The answer to an earlier read is ignored, because it does not contain the change.
    reading = nil
  }

  /// Reads the store without waiting.
  package mutating func requestRecords(_ bus: borrowing SessionBus) throws(BusFailure) {
    awaitRecords(try bus.send(Self.method("Lookup"), Self.entry))
  }

  /// Expects the answer to a request for the records.
  mutating func awaitRecords(_ request: UInt64) { reading = request }

  /// Handles a message of the bus, and updates the records. Returns whether the records must be
  /// read again.
  ///
  /// A signal only causes a new read, because any program can send it.
  package mutating func handle(_ event: BusEvent) -> Bool {
    switch event {
    case .signal(let signal):
      return signal.interface == Self.interface && signal.member == "Changed"
        && signal.values.starts(with: Self.entry)
    case .answer(to: let request, from: _, let result):
      if let change = changes.removeValue(forKey: request) {
        if case .failure(let failure) = result { lose(change, failure) }
        return true
      }
      guard request == reading else { return false }
      reading = nil
      switch result {
      case .success(let values): records = PortalRecords(values)
      case .failure(let failure): fail(failure)
      }
      return false
    }
  }

  private mutating func lose(
    _ change: (program: GuardedProgram, isAllowed: Bool?), _ failure: BusFailure
  ) {
    guard let isAllowed = change.isAllowed else { return }
    unstored.append((change.program, isAllowed, "\(failure)"))
  }

  /// Returns the decisions that the store has rejected since the last call of this function.
  package mutating func takeUnstored() -> [Unstored] {
    defer { unstored = [] }
    return unstored
  }

  /// Changes the records after the connection to the bus has ended. The decisions in unanswered
  /// requests count as rejected.
  package mutating func end(_ failure: BusFailure) {
    for change in changes.values { lose(change, failure) }
    changes = [:]
    fail(failure)
  }

  /// Changes the records after a failure. Decisions that were read earlier still apply, and new
  /// decisions are stored in the ledger.
  private mutating func fail(_ failure: BusFailure) {
    let found = PortalRecords(failure)
    switch records.fault {
    case .unreadable, .absent(nil): records = found
    case .absent, nil:
      if found.fault == nil { records = found } else { records.fault = .absent("\(failure)") }
    }
  }
}

extension PortalRecords {
  /// Reads an answer of the store. Other words than `yes` and `no`, such as `ask`, decide nothing.
  fileprivate init(_ answer: [BusValue]) {
    self.init()
    for case .entry(let program, let words) in answer.first?.elements ?? [] {
      guard let client = Client(portalID: program) else { continue }
      switch words {
      case .strings(["yes"]): decisions[client] = true
      case .strings(["no"]): decisions[client] = false
      default: break
      }
    }
  }

  /// The records after a failure of the store or of the bus.
  fileprivate init(_ failure: BusFailure) {
    switch failure {
    case _ where failure.meansNoEntry: self.init()
    case .noLibrary, .noBus: self.init(fault: .absent("\(failure)"))
    case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _):
      self.init(fault: .absent("this desktop has none"))
    case .refused, .ended: self.init(fault: .unreadable("\(failure)"))
    }
  }
}

extension BusFailure {
  /// Whether the failure means that the store has no entry for the microphone.
  fileprivate var meansNoEntry: Bool {
    if case .refused("org.freedesktop.portal.Error.NotFound", _) = self { true } else { false }
  }
}
