/// The error in a command line.
package enum UsageError: Error, Hashable, Sendable {
  case noCommand
  case unfinishedCommand([String], next: [String])
  case unknownCommand(String, nearest: [String])
  case unknownOption(String, command: String?, nearest: [String])
  case missingValue(option: String, expectation: String)
  case unexpectedValue(option: String)
  case repeatedOption(String)
  /// - Parameter meant: the corrected text; nil if it cannot be guessed.
  case badValue(String, of: String, expectation: String, meant: String? = nil)
  /// A number and its unit as two words.
  case parted(String, String, of: String, meant: String)
  case valueOutOfRange(String, of: String, limits: String)
  case missingOperand(String, command: String)
  /// - Parameter text: all words together, if the operand is a text that may have several.
  case extraOperand(String, command: String, text: String? = nil)
  case notText
}

extension UsageError {
  /// The message for the user: the error, the nearest valid word, and the help to read.
  var message: Message {
    switch self {
    case .noCommand:
      Message("no command given", advice: Self.listAdvice)
    case .unfinishedCommand(let words, let next):
      Message(
        "\(quoted(words.joined(separator: " "))) needs a subcommand: \(alternatives(next))",
        advice: Self.helpAdvice(words.joined(separator: " ")))
    case .unknownCommand(let name, let nearest):
      Message(
        "unknown command \(quoted(name))" + Self.suggestion(nearest),
        advice: CommonWord.advice(for: name) ?? Self.listAdvice)
    case .unknownOption(let option, let command, let nearest):
      Message(
        "unknown option \(quoted(option))" + Self.suggestion(nearest),
        advice: Self.helpAdvice(command))
    case .missingValue(let option, let expectation):
      Message("\(quoted(option)) needs a value: \(expectation)")
    case .unexpectedValue(let option):
      Message("\(quoted(option)) takes no value")
    case .repeatedOption(let option):
      Message("\(quoted(option)) is given twice", advice: "give it once")
    case .badValue(let text, let owner, _, let meant?):
      Message("\(owner): \(quoted(text)) is not valid", advice: "write \(quoted(meant))")
    case .badValue(let text, let owner, let expectation, nil):
      Message("\(owner): \(quoted(text)) is not valid; use \(expectation)")
    case .parted(let number, let unit, let owner, let meant):
      Message(
        "\(owner): \(quoted(number + " " + unit)) is two words; write \(quoted(meant))",
        advice: "where \(quoted(unit)) is a name, put it before \(owner)")
    case .valueOutOfRange(let text, let owner, let limits):
      Message("\(owner): \(quoted(text)) is out of range: \(limits)")
    case .missingOperand(let name, let command):
      Message("\(quoted(command)) needs a \(name)", advice: Self.helpAdvice(command))
    case .extraOperand(_, let command, let text?):
      Message(
        "\(quoted(command)) takes one text", advice: "write recorder \(command) \(quoted(text))")
    case .extraOperand(let text, let command, nil):
      Message(
        "\(quoted(command)) does not take the argument \(quoted(text))",
        advice: Self.helpAdvice(command))
    case .notText:
      Message(
        "an argument is not UTF-8 text", advice: "rename the file, or run it in its directory")
    }
  }

  private static let listAdvice = "\"recorder help\" lists the commands"

  private static func helpAdvice(_ command: String?) -> String {
    guard let command else { return listAdvice }
    return "\"recorder \(command) --help\" shows how to use it"
  }

  private static func suggestion(_ names: [String]) -> String {
    names.isEmpty ? "" : "; did you mean \(alternatives(names.prefix(3).map(quoted)))?"
  }
}
