package import Bus

/// The questions that are shown as notifications of the desktop.
///
/// A notification has a button for each answer. Only signals of the program that shows the
/// notification count as a pressed button.
package struct Notifications: Sendable {
  private struct Shown: Sendable {
    let question: Int
    let number: UInt32
    let desktop: String
  }

  /// The questions that the desktop was asked to show, by the number of the request, until the
  /// desktop has answered the request.
  private var requested: [UInt64: Int] = [:]
  private var shown: [Shown] = []
  /// The questions that were withdrawn before the desktop answered their requests.
  private var withdrawn: Set<Int> = []

  private static let interface = "org.freedesktop.Notifications"

  /// Creates a list without notifications.
  package init() {}

  private static func method(_ name: String) -> BusMethod {
    BusMethod(name, of: interface, at: "/org/freedesktop/Notifications", interface)
  }

  /// Subscribes to the answers.
  package static func watch(_ bus: borrowing SessionBus) throws(BusFailure) {
    try bus.watch(interface)
  }

  /// Shows a question.
  ///
  /// - Parameter buttons: the words on the button of each answer.
  package mutating func show(
    _ question: Int, _ summary: String, _ body: String, _ buttons: [(GuardAnswer, String)],
    on bus: borrowing SessionBus
  ) throws(BusFailure) {
    let words = buttons.flatMap { [$0.0.rawValue, $0.1] }
    // The question stays until it is answered or withdrawn.
    let request = try Self.notify(summary, body, words, urgency: 2, timeout: 0, on: bus)
    requested[request] = question
  }

  /// Shows that a question was not answered. The desktop decides how long it shows this message.
  package static func report(
    _ summary: String, _ body: String, on bus: borrowing SessionBus
  ) throws(BusFailure) {
    _ = try notify(summary, body, [], urgency: 1, timeout: -1, on: bus)
  }

  private static func notify(
    _ summary: String, _ body: String, _ buttons: [String], urgency: UInt8, timeout: Int32,
    on bus: borrowing SessionBus
  ) throws(BusFailure) -> UInt64 {
    try bus.send(
      method("Notify"),
      [
        .string("recorder"), .unsigned(0), .string("audio-input-microphone"), .string(summary),
        .string(escaped(body)), .strings(buttons),
        .array(of: "{sv}", [.entry("urgency", .variant(.byte(urgency)))]), .signed(timeout),
      ])
  }

  /// Escapes markup. The desktop interprets markup in the details, so markup in a path could hide a
  /// part of the path.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Removes the notification of a question.
  package mutating func withdraw(
    _ question: Int, on bus: borrowing SessionBus
  ) throws(BusFailure) {
    if requested.values.contains(question) { withdrawn.insert(question) }
    for notification in shown where notification.question == question {
      try Self.close(notification.number, on: bus)
    }
    shown.removeAll { $0.question == question }
  }

  private static func close(
    _ number: UInt32, on bus: borrowing SessionBus
  ) throws(BusFailure) {
    _ = try bus.send(method("CloseNotification"), [.unsigned(number)])
  }

  /// Handles a message of the bus. Returns the question and the answer if the user has pressed a
  /// button.
  package mutating func handle(
    _ event: BusEvent, on bus: borrowing SessionBus
  ) throws(BusFailure) -> (question: Int, answer: GuardAnswer)? {
    switch event {
    case .answer(to: let request, from: let desktop, let result):
      guard let question = requested.removeValue(forKey: request) else { return nil }
      let isWithdrawn = withdrawn.remove(question) != nil
      guard case .success(let values) = result, let number = values.first?.unsigned else {
        return nil
      }
      if isWithdrawn {
        try Self.close(number, on: bus)
      } else {
        shown.append(Shown(question: question, number: number, desktop: desktop))
      }
      return nil
    case .signal(let signal):
      guard signal.interface == Self.interface, signal.member == "ActionInvoked",
        signal.values.count == 2, let number = signal.values[0].unsigned,
        let answer = signal.values[1].string.flatMap(GuardAnswer.init(rawValue:)),
        let found = shown.first(where: { $0.number == number && $0.desktop == signal.sender })
      else { return nil }
      return (found.question, answer)
    }
  }
}
