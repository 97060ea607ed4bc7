internal import Control
internal import Linux

/// The parser of command lines, based on the table. It opens no file and looks up no name.
package struct Parser {
  private let table: CommandTable
  private var rest: ArraySlice<String>
  private var words: [String] = []
  private var command: Command?
  private var operands: [String] = []
  private var arguments = Arguments()
  private var optionsEnded = false

  /// Parses the arguments after the program's name. Throws if they do not match the table.
  package static func parse(
    _ words: [String], by table: CommandTable
  ) throws(UsageError) -> Invocation {
    var parser = Parser(table: table, rest: words[...])
    return try parser.invocation()
  }

  private mutating func invocation() throws(UsageError) -> Invocation {
    while let word = rest.popFirst() {
      try take(word)
    }
    if arguments[GlobalOption.help] {
      return Invocation(action: .help(words), arguments: arguments)
    }
    if arguments[GlobalOption.version] { return Invocation(action: .version, arguments: arguments) }
    let command = try finishedCommand()
    try assignOperands(of: command)
    return Invocation(action: .run(command), arguments: arguments)
  }

  private mutating func take(_ word: String) throws(UsageError) {
    if optionsEnded || !Self.beginsOption(word) {
      try takePlain(word)
    } else if word == "--" {
      optionsEnded = true
    } else if word.begins(with: "--") {
      try takeLong(word.dropFirst(2))
    } else {
      try takeShort(word.dropFirst())
    }
  }
}

// MARK: - Names and operands

extension Parser {
  private mutating func takePlain(_ word: String) throws(UsageError) {
    guard wantsName else { return operands.append(word) }
    words.append(word)
    command = table.command(words)
    guard !table.contains(family: words) else { return }
    throw .unknownCommand(words.joined(separator: " "), nearest: table.nearest(to: words))
  }

  /// Whether the next word is part of the command's name. This is the case if the words so far name
  /// no command, or if they name a family such as `permission`, which takes no operand.
  private var wantsName: Bool {
    command == nil || !table.next(after: words).isEmpty
  }

  private func finishedCommand() throws(UsageError) -> Command {
    if let command { return command }
    if words.isEmpty { throw .noCommand }
    throw .unfinishedCommand(words, next: table.next(after: words))
  }

  private mutating func assignOperands(of command: Command) throws(UsageError) {
    var hasLeftOut = false
    for (index, operand) in command.operands.enumerated() {
      // An optional operand takes no word that a later required operand needs.
      let needed = command.operands.dropFirst(index + 1).count { $0.count.isRequired }
      let isLeftOut = operand.count == .optional && operands.count <= needed
      let taken = operand.count.repeats ? operands[...] : operands.prefix(isLeftOut ? 0 : 1)
      // In `sound volume jingle`, the word `jingle` is the optional operand; the volume is missing.
      let isName =
        hasLeftOut && operand.value.hasUnit
        && taken.allSatisfy { !$0.contains(where: \.isNumber) }
      if taken.isEmpty || isName, operand.count.isRequired {
        throw .missingOperand(operand.name, command: command.name)
      }
      hasLeftOut = hasLeftOut || isLeftOut
      try refuseSwapped(taken, operand, after: command.operands.prefix(index).last, of: command)
      for text in taken { try operand.value.check(text, of: operand.name) }
      arguments.operands[operand.name] = Array(taken)
      operands.removeFirst(taken.count)
    }
    if let extra = operands.first {
      let isText = command.operands.last?.value.expectation == Text.expectation
      let taken = command.operands.last.flatMap { arguments.operands[$0.name] } ?? []
      let all = taken + operands
      throw .extraOperand(
        extra, command: command.name, text: isText ? all.joined(separator: " ") : nil,
        named: isText ? named(all, command) : nil)
    }
  }
}

extension Parser {
  /// Throws if a value with a unit was typed before a name, as in `sound volume 0.5 umbrella`.
  private func refuseSwapped(
    _ words: ArraySlice<String>, _ value: OperandEntry, after name: OperandEntry?,
    of command: Command
  ) throws(UsageError) {
    guard value.value.hasUnit, let word = words.first, let name,
      let earlier = arguments.operands[name.name]?.first,
      (try? value.value.check(word)) == nil, (try? value.value.check(earlier)) != nil
    else { return }
    let line = "\(command.name) \(shellArgument(word)) \(earlier)"
    throw .badValue(
      word, of: value.name, expectation: value.value.expectation,
      advice: "\(name.name) comes first: recorder \(line)")
  }

  /// Returns corrected arguments with the first word as the value of `--name`, or nil if the
  /// command takes no name or the word is not a valid name.
  private func named(_ words: [String], _ command: Command) -> String? {
    guard command.allOptions.contains(where: { $0.name == "name" }), let name = words.first,
      SessionName(name) != nil
    else { return nil }
    return "--name \(name) \(quoted(words.dropFirst().joined(separator: " ")))"
  }
}

// MARK: - Options

extension Parser {
  private var options: [OptionEntry] { command?.allOptions ?? GlobalOption.all }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let name = Substring(text.utf8.prefix { $0 != UInt8(ascii: "=") })
    let word = String(name)
    let attached: Substring? =
      name.endIndex == text.endIndex
      ? nil : Substring(text.utf8[name.endIndex...].dropFirst())
    guard let option = options.first(where: { $0.name.isSameName(as: word) }) else {
      throw unknown("--" + word, attached)
    }
    try store(option, attached: attached)
  }

  /// Parses `-o value`, `-ovalue`, and flags in one word as in `-hq`.
  private mutating func takeShort(_ text: Substring) throws(UsageError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw unknown("-\(letter)", letters.isEmpty ? nil : letters)
      }
      guard option.value != nil else {
        arguments.flags.insert(option.name)
        continue
      }
      return try store(option, attached: letters.isEmpty ? nil : letters)
    }
  }

  private mutating func store(_ option: OptionEntry, attached: Substring?) throws(UsageError) {
    guard let value = option.value else {
      guard attached == nil else { throw .unexpectedValue(option: option.spelling) }
      arguments.flags.insert(option.name)
      return
    }
    guard let text = attached.map(String.init) ?? nextValue() else {
      throw .missingValue(option: option.spelling, expectation: value.expectation)
    }
    try refuseParted(text, value, of: option.spelling)
    try value.check(text, of: option.spelling)
    guard option.repeats || arguments.options[option.name] == nil else {
      throw .repeatedOption(option.spelling)
    }
    arguments.options[option.name, default: []].append(text)
    if option.repeats, operands.isEmpty { arguments.leading[option.name, default: 0] += 1 }
  }

  /// Throws if a number and its unit are two words, as in `--duration 1 h`, because the unit would
  /// be parsed as a name.
  private func refuseParted(
    _ text: String, _ value: ValueEntry, of owner: String
  ) throws(UsageError) {
    guard value.hasUnit, text.last?.isDecimalDigit == true, let unit = rest.first, !unit.isEmpty,
      unit == "%" || unit.allSatisfy(\.isLetter)
    else { return }
    let joined = text + unit
    let isValue = (try? value.check(joined)) != nil
    guard let meant = isValue ? joined : value.corrected(joined) else { return }
    throw .parted(text, unit, of: owner, meant: meant)
  }

  /// Removes the next word and returns it. Returns nil if no word follows, or if the next word is
  /// an option; `-` and `-6dB` are values, not options.
  private mutating func nextValue() -> String? {
    guard let next = rest.first, !Self.beginsOption(next) else { return nil }
    return rest.popFirst()
  }

  private func unknown(_ spelling: String, _ attached: Substring?) -> UsageError {
    let names = options.map(\.spelling)
    if let meant = withOperand(spelling, attached) {
      return .unknownOption(spelling, command: command?.name, nearest: [], meant: meant)
    }
    if CommonWord.optionAdvice(for: spelling, of: command?.name) != nil {
      return .unknownOption(spelling, command: command?.name, nearest: [])
    }
    let nearest =
      command == nil && ["-v", "-V"].contains(spelling)
      ? [GlobalOption.version.entry.spelling]
      : CommonWord.option(meantBy: spelling, among: names) ?? otherCase(spelling)
        ?? nearestNames(to: spelling, among: names)
    return .unknownOption(spelling, command: command?.name, nearest: nearest)
  }

  /// Returns the correct command line if the user wrote the command's only operand as an option:
  /// `recorder stop log` for `recorder stop -n log`. Returns nil for any other option. For a short
  /// option, some command must have an option with this letter, and with the name and the kind of
  /// value that the operand has.
  private func withOperand(_ spelling: String, _ attached: Substring?) -> String? {
    guard let command, command.operands.count == 1, let operand = command.operands.first else {
      return nil
    }
    let name = operand.name.lowercased()
    let named = table.commands.flatMap(\.allOptions).filter { option in
      option.name.isSameName(as: name) && option.value?.expectation == operand.value.expectation
    }
    guard spelling == "--" + name || named.contains(where: { $0.isShort(spelling) }) else {
      return nil
    }
    let given = attached.map(String.init) ?? rest.first { !$0.begins(with: "-") }
    let isValid = given.map { (try? operand.value.check($0)) != nil } ?? false
    let word = isValid ? given.map(shellArgument) : nil
    return "recorder \(command.name) \(word ?? operand.name)"
  }

  /// Returns the short and the long spelling of the option whose letter differs only in upper or
  /// lower case, or nil if there is none. For example, other programs use `-D` for the device.
  private func otherCase(_ spelling: String) -> [String]? {
    guard spelling.utf8.count == 2 else { return nil }
    let found = options.first { $0.short.map { "-\($0)".lowercased() } == spelling.lowercased() }
    return found.flatMap { option in option.short.map { ["-\($0)", option.spelling] } }
  }

  /// Returns whether the word is an option or `--`. The word `-` is not an option. Negative numbers
  /// and levels are not options either, because no short option is a digit or a dot.
  static func beginsOption(_ word: String) -> Bool {
    guard word.begins(with: "-"), let next = word.dropFirst().first else { return false }
    return !next.isDecimalDigit && next != "."
  }
}
