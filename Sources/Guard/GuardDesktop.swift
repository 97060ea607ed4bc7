internal import Bus
internal import Linux

/// The session bus of the desktop, if there is one. A bus that fails is not used again.
struct GuardDesktop: ~Copyable {
  private var bus: SessionBus?
  private var notifications = Notifications()

  init() {
    do throws(BusFailure) {
      let bus = try SessionBus()
      try Notifications.watch(bus)
      self.bus = consume bus
    } catch {
      bus = nil
    }
  }

  /// Adds the descriptor that ends a wait.
  func enlist(in poll: inout Poll) {
    if bus != nil { bus?.enlist(in: &poll) } else { poll.add(-1) }
  }

  /// Shows a question. Returns false if there is no desktop.
  mutating func ask(
    _ question: Int, _ summary: String, _ details: String, _ buttons: [(GuardAnswer, String)]
  ) -> Bool {
    use { notifications, bus throws(BusFailure) in
      try notifications.show(question, summary, details, buttons, on: bus)
      return true
    } ?? false
  }

  /// Removes the notification of a question.
  mutating func withdraw(_ question: Int) {
    _ = use { notifications, bus throws(BusFailure) in
      try notifications.withdraw(question, on: bus)
    }
  }

  /// Returns the answers that were given since the last call.
  mutating func answers() -> [(question: Int, answer: GuardAnswer)] {
    use { notifications, bus throws(BusFailure) in
      var answers: [(question: Int, answer: GuardAnswer)] = []
      for event in try bus.events() {
        if let answer = try notifications.handle(event, on: bus) { answers.append(answer) }
      }
      return answers
    } ?? []
  }

  private mutating func use<Result>(
    _ body: (inout Notifications, borrowing SessionBus) throws(BusFailure) -> Result
  ) -> Result? {
    guard let bus = bus.take() else { return nil }
    do throws(BusFailure) {
      let result = try body(&notifications, bus)
      self.bus = consume bus
      return result
    } catch {
      // Refusals of single calls arrive as events. This is the end of the connection.
      return nil
    }
  }
}
