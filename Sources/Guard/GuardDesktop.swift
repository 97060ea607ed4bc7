internal import Bus
internal import Linux
internal import Permission

/// The session bus of the desktop, if there is one. A bus that fails is not used again.
struct GuardDesktop: ~Copyable {
  private var bus: SessionBus?
  private var notifications = Notifications()
  private var store = PortalStore()

  init() {
    do throws(BusFailure) {
      let bus = try SessionBus()
      try Notifications.watch(bus)
      try store.watch(bus)
      self.bus = consume bus
    } catch {
      store.end(error)
      bus = nil
    }
  }

  /// The decisions in the portals' store, as far as they are known.
  var portal: PortalRecords { store.records }

  /// Requests the records of the portals' store again. This is needed, because the store of
  /// xdg-desktop-portal 1.16 sends no signal when its last entry is removed.
  mutating func readPortal() {
    _ = use { desktop, bus throws(BusFailure) in try desktop.store.requestRecords(bus) }
  }

  /// Changes the decision about a program in the portals' store, or removes it if `isAllowed` is
  /// nil.
  mutating func store(_ isAllowed: Bool?, about program: GuardedProgram) {
    _ = use { desktop, bus throws(BusFailure) in
      try desktop.store.write(isAllowed, about: program, on: bus)
    }
  }

  /// Returns the decisions that the portals' store has rejected since the last call of this
  /// function.
  mutating func takeUnstored() -> [PortalStore.Unstored] { store.takeUnstored() }

  /// Adds the connection to the session bus to `poll`. Without a connection, the added descriptor
  /// is never ready.
  func enlist(in poll: inout Poll) {
    if bus != nil { bus?.enlist(in: &poll) } else { poll.add(-1) }
  }

  /// Shows a question, if there is a desktop.
  mutating func ask(
    _ question: Int, _ summary: String, _ details: String, _ buttons: [(GuardAnswer, String)]
  ) {
    _ = use { desktop, bus throws(BusFailure) in
      try desktop.notifications.show(question, summary, details, buttons, on: bus)
    }
  }

  /// Shows that a question was not answered, if there is a desktop.
  mutating func report(_ summary: String, _ details: String) {
    _ = use { _, bus throws(BusFailure) in try Notifications.report(summary, details, on: bus) }
  }

  /// Removes the notification of a question.
  mutating func withdraw(_ question: Int) {
    _ = use { desktop, bus throws(BusFailure) in
      try desktop.notifications.withdraw(question, on: bus)
    }
  }

  /// Returns the answers that were given since the last call.
  mutating func answers() -> [(question: Int, answer: GuardAnswer)] {
    use { desktop, bus throws(BusFailure) in
      var answers: [(question: Int, answer: GuardAnswer)] = []
      for event in try bus.events() {
        if desktop.store.handle(event) { try desktop.store.requestRecords(bus) }
        if let answer = try desktop.notifications.handle(event, on: bus) { answers.append(answer) }
      }
      return answers
    } ?? []
  }

  private mutating func use<Result>(
    _ body: (inout Self, borrowing SessionBus) throws(BusFailure) -> Result
  ) -> Result? {
    guard let bus = bus.take() else { return nil }
    do throws(BusFailure) {
      let result = try body(&self, bus)
      self.bus = consume bus
      return result
    } catch {
      // Refused calls arrive as events, so this error means that the connection has ended.
      store.end(error)
      return nil
    }
  }
}
