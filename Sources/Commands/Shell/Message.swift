internal import Linux

/// A message on stderr: the event, its subject, the reason and the advice.
package struct Message: Hashable, Sendable {
  /// The event in one sentence, such as `cannot open "take.wav": No such file or directory`.
  package let fact: String
  /// Further facts and advice, one line each.
  package let advice: [String]
  /// A command to copy, which the last line of advice introduces; nil if there is none.
  let command: String?

  /// The advice, with the command as its last line.
  var remedies: [String] { advice + [command].compactMap { $0 } }

  /// Creates a message of whole sentences. Untrusted text in them must be quoted.
  package init(_ fact: String, advice: [String], command: String? = nil) {
    self.fact = fact
    self.advice = advice
    self.command = command
  }

  /// Creates a message with at most one line of advice.
  package init(_ fact: String, advice: String? = nil) {
    self.init(fact, advice: advice.map { [$0] } ?? [])
  }

  /// Creates a message with a remedy as its advice. If `remedy` is nil, there is no advice.
  init(_ fact: String, remedy: String?) {
    self.init(fact, advice: remedy.map(Self.repair))
  }

  /// Returns a remedy as advice: `to repair that, …`.
  package static func repair(_ remedy: String) -> String { "to repair that, \(remedy)" }

  /// Creates a message from the failed action, its subject and the reason: `cannot read "a.wav":
  /// Input/output error`.
  package init(_ action: String, on subject: String, why: String, advice: String? = nil) {
    self.init("\(action) \(quoted(subject)): \(printable(why))", advice: advice)
  }

  /// Returns the lines for stderr, each with the program's name. A line that is wider than the
  /// terminal continues on an indented line. A command is not wrapped; it is below the line that
  /// introduces it.
  func lines(_ kind: Kind, width: Int? = nil) -> String {
    let name = "recorder: "
    let margin = String(repeating: " ", count: name.count)
    let lines = (["\(kind.prefix)\(fact)"] + advice).map { words in
      // Every line is escaped here, in case a caller forgot to escape untrusted text.
      let line = printable(words)
      guard let width, columns(of: name + line) > width else { return name + line + "\n" }
      let lines = wrapped(line, width: max(20, width - name.count))
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

/// Escapes an untrusted text and puts it in quotation marks.
package func quoted(_ foreign: String) -> String { PrintableText.quoted(foreign) }

/// Escapes an untrusted text, so that it cannot control a terminal.
package func printable(_ foreign: String) -> String { PrintableText.escape(foreign) }

/// Formats an untrusted path for a report: escaped, and in quotation marks if it contains a space,
/// so that its end is visible.
func pathText(_ path: String) -> String {
  path.utf8.contains(UInt8(ascii: " ")) ? quoted(path) : printable(path)
}

/// Formats an untrusted text as an argument of a command to type: escaped, and in single quotes if
/// a shell needs them.
package func shellArgument(_ foreign: String) -> String {
  if !foreign.isEmpty, foreign.utf8.allSatisfy(isPlain) { return foreign }
  // Bytes are split, because a quote with a combining mark is one character in Swift, but two in a
  // shell.
  let parts = printable(foreign).utf8
    .split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
  return "'" + parts.map { String(Substring($0)) }.joined(separator: #"'\''"#) + "'"
}

private func isPlain(_ byte: UInt8) -> Bool {
  byte.isASCIIAlphanumeric || "/._-+:,@%".utf8.contains(byte)
}
