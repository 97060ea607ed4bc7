internal import Linux

/// A search for the words that can come next on a command line. The completion scripts of all
/// shells use it.
///
/// A shell sends the words of the line up to the cursor. The completer looks up names, but opens no
/// device and changes nothing. To list the devices of PipeWire, it runs the program `pw-dump`. To
/// list the sounds of the player, it asks a running player.
struct Completer {
  /// The answer to a shell.
  struct Answer: Hashable {
    var candidates: [Candidate] = []
    /// Whether the shell must complete file names too.
    var files = false
  }

  private let table: CommandTable
  private let names: KnownNames
  private var words: [String] = []
  private var command: Command?
  private var operands: [String] = []
  /// The option whose value is the next word, or nil if the next word is no value.
  private var pending: OptionEntry?
  private var optionsEnded = false
  private var isHopeless = false

  /// Reads the words before the cursor as the parser does.
  init(_ words: [String], by table: CommandTable, names: KnownNames = KnownNames()) {
    self.table = table
    self.names = names
    for word in words { take(word) }
  }

  private mutating func take(_ word: String) {
    if pending != nil {
      pending = nil
    } else if optionsEnded || !Parser.beginsOption(word) {
      takePlain(word)
    } else if word == "--" {
      optionsEnded = true
    } else if word.begins(with: "--") {
      let name = word.dropFirst(2)
      pending = options.first { $0.name == name && $0.value != nil }
    } else {
      // After the letter of an option with a value, the rest of the word is the value.
      let valued = options.filter { $0.value != nil }
      for index in word.indices {
        guard let option = valued.first(where: { $0.short == word[index] }) else { continue }
        if word.index(after: index) == word.endIndex { pending = option }
        break
      }
    }
  }

  private mutating func takePlain(_ word: String) {
    guard wantsName else { return operands.append(word) }
    words.append(word)
    command = table.command(words)
    isHopeless = isHopeless || !table.contains(family: words)
  }

  private var wantsName: Bool { command == nil || !table.next(after: words).isEmpty }

  private var options: [OptionEntry] { command?.allOptions ?? GlobalOption.all }

  /// Returns the words that begin with `current`, the text of the last word up to the cursor.
  func answer(to current: String) -> Answer {
    guard !isHopeless else { return Answer() }
    if let pending { return values(of: pending, current) }
    if current.begins(with: "-"), !optionsEnded {
      guard let equals = current.firstIndex(of: "=") else { return optionNames(current) }
      let name = current[..<equals]
      guard let option = options.first(where: { $0.spelling == name }) else { return Answer() }
      return afterEquals(in: current) { values(of: option, $0) }
    }
    if wantsName { return Answer(candidates: nextNames(after: words, current)) }
    return command.map { operandValues(of: $0, current) } ?? Answer()
  }

  /// Completes the text after the first equals sign. Each candidate then begins with the text up to
  /// this sign. Returns no candidates if there is no equals sign.
  private func afterEquals(in current: String, _ words: (String) -> Answer) -> Answer {
    guard let equals = current.firstIndex(of: "=") else { return Answer() }
    var answer = words(String(current[current.index(after: equals)...]))
    answer.candidates = answer.candidates.map {
      Candidate(text: current[...equals] + $0.text, meaning: $0.meaning)
    }
    return answer
  }

  private func optionNames(_ current: String) -> Answer {
    let long = options.map { Candidate(text: $0.spelling, meaning: $0.summary) }
    let short = options.compactMap { option in
      option.short.map { Candidate(text: "-\($0)", meaning: option.summary) }
    }
    let all = current == "-" ? long + short : long
    return Answer(candidates: all.filter { $0.text.begins(with: current) })
  }

  private func values(of option: OptionEntry, _ current: String) -> Answer {
    option.value.map { values(of: $0, current) } ?? Answer()
  }

  /// Returns the words that continue the name of a command.
  private func nextNames(after words: [String], _ current: String) -> [Candidate] {
    var seen: Set<String> = []
    let next = table.next(after: words).filter { $0.begins(with: current) }
    return next.filter { seen.insert($0).inserted }.map { word in
      let isFamily = !table.next(after: words + [word]).isEmpty
      let summary = table.command(words + [word])?.summary ?? ""
      return Candidate(
        text: word,
        meaning: isFamily ? "Commands of \((words + [word]).joined(separator: " "))" : summary)
    }
  }

  private func operandValues(of command: Command, _ current: String) -> Answer {
    operand(of: command).map { values(of: $0.value, current) } ?? Answer()
  }

  /// Returns the operand at the cursor, or nil if no further operand is accepted.
  private func operand(of command: Command) -> OperandEntry? {
    if operands.count < command.operands.count { return command.operands[operands.count] }
    return command.operands.last.flatMap { $0.count.repeats ? $0 : nil }
  }

  private func commandsAndTopics(_ current: String) -> Answer {
    let topics = HelpCommand.topics(after: operands).filter(begins(with: current))
    return Answer(candidates: nextNames(after: operands, current) + topics)
  }

  private func values(of value: ValueEntry, _ current: String, key: String? = nil) -> Answer {
    switch value.completion {
    case .nothing: return Answer()
    case .files: return Answer(files: true)
    case .words(let words):
      return Answer(candidates: words.map { Candidate(text: $0) }.filter(begins(with: current)))
    case .commands: return commandsAndTopics(current)
    case .valueOfSetting:
      let entry = operands.first.flatMap { Settings.entry($0) }
      return entry.map { values(of: $0.value, current, key: $0.key) } ?? Answer()
    case .tracks: return Answer(candidates: tracks.filter(begins(with: current)))
    case .names(let kind): return found(kind, current, key)
    case .namesAfterEquals(let kind): return afterEquals(in: current) { found(kind, $0, key) }
    }
  }

  /// The tracks of the take or of the running recording that the operands name.
  private var tracks: [Candidate] {
    guard let command else { return [] }
    guard command.operands.first?.value.completion == .names(.sessions) else {
      return names.tracks(ofTakes: operands, plays: command.section == .sounds)
    }
    return names.tracks(ofRecording: operands.first { $0 != "-" })
  }

  private func found(_ kind: NameKind, _ current: String, _ key: String?) -> Answer {
    // Commands and settings for sounds use playback devices, all others use capture devices.
    let plays = key == Settings.soundsDevice.entry.key || command?.section == .sounds
    return Answer(
      candidates: names.all(kind, current, plays: plays).filter(begins(with: current)),
      files: kind.mayBeFile(current))
  }

  private func begins(with current: String) -> (Candidate) -> Bool {
    { $0.text.begins(with: current) && printable($0.text) == $0.text }
  }
}

extension Completer.Answer {
  /// One line for each candidate, with a tab before its meaning. If file names can follow too, the
  /// last line is `:files`.
  var lines: String {
    candidates.map { $0.meaning.isEmpty ? $0.text : "\($0.text)\t\(printable($0.meaning))" }
      .map { $0 + "\n" }.joined() + (files ? ":files\n" : "")
  }
}

/// The command `complete`, which only the completion scripts run. The table of commands does not
/// contain it.
enum CompleteCommand {
  private static let words = ["complete", "--"]

  /// Returns the answer if `typed` is the command `complete`, or nil for another command.
  static func answer(to typed: [String]?, by table: CommandTable) -> String? {
    guard let typed, typed.starts(with: words), let current = typed.dropFirst(2).last else {
      return nil
    }
    let before = Array(typed.dropFirst(2).dropLast())
    return Completer(before, by: table).answer(to: current).lines
  }
}
