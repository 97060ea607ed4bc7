internal import Bus
internal import Guard
internal import Linux

/// The questions as a person reads them.
struct GuardWords {
  /// The question in one sentence, without the answers.
  let summary: String
  /// The program's identifier and its device.
  let details: String

  static let buttons: [(Notifications.Answer, String)] = [
    (.once, "Allow once"), (.always, "Always allow"), (.never, "Refuse"),
  ]

  init(_ question: GuardQuestion) {
    let title = printable(question.program.title)
    summary = "\(title) wants to \(question.use.service.use)"
    let program = question.program.client.map { printable($0.name) } ?? "an unknown program"
    details = "\(program), process \(question.program.process.id)\n\(printable(question.device))"
  }
}

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
  mutating func ask(_ question: Int, _ words: GuardWords) -> Bool {
    use { notifications, bus throws(BusFailure) in
      try notifications.show(
        question, words.summary, words.details, GuardWords.buttons, on: bus)
      return true
    } ?? false
  }

  /// Removes the notification of a question.
  mutating func withdraw(_ question: Int) {
    _ = use { notifications, bus throws(BusFailure) in
      try notifications.withdraw(question, on: bus)
    }
  }

  mutating func withdraw(all questions: [GuardQuestion]) {
    for question in questions { withdraw(question.number) }
  }

  /// Returns the answers that were given since the last call.
  mutating func answers() -> [(question: Int, answer: Notifications.Answer)] {
    use { notifications, bus throws(BusFailure) in
      try bus.events().compactMap { event throws(BusFailure) in
        try notifications.handle(event, on: bus)
      }
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
