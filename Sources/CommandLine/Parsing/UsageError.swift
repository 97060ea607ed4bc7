/// What is wrong with a command line.
package enum UsageError: Error, Hashable, Sendable {
  case noCommand
  case unfinishedCommand([String], next: [String])
  case unknownCommand(String, nearest: [String])
  case unknownOption(String, command: String?, nearest: [String])
  case missingValue(option: String, expectation: String)
  case unexpectedValue(option: String)
  case repeatedOption(String)
  case badValue(String, of: String, expectation: String)
  case valueOutOfRange(String, of: String, limits: String)
  case missingOperand(String, command: String)
  case extraOperand(String, command: String)
  case notText
}

extension UsageError {
  /// What to tell the user: the mistake, the nearest right word, and where to read more.
  var message: Message {
    switch self {
    case .noCommand:
      Message("no command given", advice: Self.listAdvice)
    case .unfinishedCommand(let words, let next):
      Message(
        "\(quoted(words.joined(separator: " "))) needs one more word: \(alternatives(next))",
        advice: Self.helpAdvice(words.joined(separator: " ")))
    case .unknownCommand(let name, let nearest):
      Message(
        "unknown command \(quoted(name))" + Self.suggestion(nearest), advice: Self.listAdvice)
    case .unknownOption(let option, let command, let nearest):
      Message(
        "unknown option \(quoted(option))" + Self.suggestion(nearest),
        advice: Self.helpAdvice(command))
    case .missingValue(let option, let expectation):
      Message("\(quoted(option)) takes \(expectation)", advice: "write \(option)=VALUE")
    case .unexpectedValue(let option):
      Message("\(quoted(option)) takes no value")
    case .repeatedOption(let option):
      Message("\(quoted(option)) is given twice", advice: "give it once")
    case .badValue(let text, let owner, let expectation):
      Message("\(quoted(text)) does not fit \(owner): it takes \(expectation)")
    case .valueOutOfRange(let text, let owner, let limits):
      Message("\(quoted(text)) does not fit \(owner): \(limits)")
    case .missingOperand(let name, let command):
      Message("\(quoted(command)) needs a \(name)", advice: Self.helpAdvice(command))
    case .extraOperand(let text, let command):
      Message(
        "\(quoted(command)) has no use for \(quoted(text))", advice: Self.helpAdvice(command))
    case .notText:
      Message(
        "an argument is not UTF-8 text", advice: "rename the file, or run it in its directory")
    }
  }

  private static let listAdvice = "\"recorder help\" lists the commands"

  private static func helpAdvice(_ command: String?) -> String {
    guard let command else { return listAdvice }
    return "\"recorder \(command) --help\" explains it"
  }

  private static func suggestion(_ names: [String]) -> String {
    names.isEmpty ? "" : "; did you mean \(alternatives(names.prefix(3).map(quoted)))?"
  }
}
