internal import Linux

/// A message on stderr: the event, its subject, the reason and the advice.
package struct Message: Hashable, Sendable {
  /// The event in one sentence, such as `cannot open "take.wav": No such file or directory`.
  package let fact: String
  /// Further facts and advice, one line each.
  package let advice: [String]
  /// A command to copy, which the last line of advice introduces.
  let command: String?

  /// The advice, with the command as its last line.
  var remedies: [String] { advice + [command].compactMap { $0 } }

  /// A message of whole sentences, in which foreign words are already quoted.
  package init(_ fact: String, advice: [String], command: String? = nil) {
    self.fact = fact
    self.advice = advice
    self.command = command
  }

  /// A message with at most one line of advice.
  package init(_ fact: String, advice: String? = nil) {
    self.init(fact, advice: advice.map { [$0] } ?? [])
  }

  /// A message whose advice introduces a remedy; without advice where there is none.
  init(_ fact: String, remedy: String?) {
    self.init(fact, advice: remedy.map(Self.repair))
  }

  /// Introduces a remedy.
  package static func repair(_ remedy: String) -> String { "to repair that, \(remedy)" }

  /// Joins the failed action, its subject and the reason:
  /// `cannot read "a.wav": Input/output error`.
  package init(_ action: String, on subject: String, why: String, advice: String? = nil) {
    self.init("\(action) \(quoted(subject)): \(printable(why))", advice: advice)
  }

  /// The lines for stderr, each with the program's name; a line wider than the terminal continues
  /// below its own beginning, and a command stays in one piece below its introduction.
  func lines(_ kind: Kind, width: Int? = nil) -> String {
    let name = "recorder: "
    let margin = String(repeating: " ", count: name.count)
    let lines = (["\(kind.prefix)\(fact)"] + advice).map { words in
      // Escaped here as well: foreign words come from many callers, and all of them end here.
      let line = printable(words)
      guard let width, columns(of: name + line) > width else { return name + line + "\n" }
      let lines = wrapped(line, width: max(20, width - name.count), isOnTerminal: true)
      return name + lines.joined(separator: "\n" + margin) + "\n"
    }
    return lines.joined() + (command.map { margin + printable($0) + "\n" } ?? "")
  }

  /// The severity of a message.
  package enum Kind: Sendable {
    case error
    case warning
    case note

    fileprivate var prefix: String { self == .warning ? "warning: " : "" }
  }
}

/// A foreign word in a message: escaped, and in quotation marks.
package func quoted(_ foreign: String) -> String { "\"\(printable(foreign))\"" }

/// Foreign text, escaped so that it cannot control a terminal.
package func printable(_ foreign: String) -> String { PrintableText.escape(foreign) }

/// A foreign word in a command to type: escaped, and in single quotes if a shell needs them.
package func shellArgument(_ foreign: String) -> String {
  if !foreign.isEmpty, foreign.utf8.allSatisfy(isPlain) { return foreign }
  let parts = printable(foreign).split(separator: "'", omittingEmptySubsequences: false)
  return "'" + parts.joined(separator: #"'\''"#) + "'"
}

private func isPlain(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "/._-+:,@%".utf8.contains(byte)
  }
}
