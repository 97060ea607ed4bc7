internal import Linux

/// The command `help`, with pages about the program, its commands and its exit codes.
enum HelpCommand {
  static let words = ["help"]

  /// The names of the pages that are not about a command.
  static let names =
    [HelpTopic.listName, ExitCodePage.topic] + HelpTopic.sections.map(\.name) + HelpTopic.guides
    + [ManualPage.topic]

  /// The pages that are not about a command, with their summaries.
  static var topics: [Candidate] {
    names.map { name in
      let summary =
        switch name {
        case HelpTopic.listName: "List the topics"
        case ExitCodePage.topic: "List the exit codes"
        case ManualPage.topic: "Print the manual page"
        default: HelpTopic.summary(of: name)
        }
      return Candidate(text: name, meaning: summary ?? "")
    }
  }

  /// Returns the topics that can follow `words` after `help`. After `manual`, these are the topics
  /// with a manual page.
  static func topics(after words: [String]) -> [Candidate] {
    switch words {
    case []: topics
    case [ManualPage.topic]: topics.filter { HelpTopic.pages.contains($0.text) }
    default: []
    }
  }

  static let subject = Operand<HelpSubject>(
    .any, summary: "A command, or one of the topics \(alternatives(names, "and"))")

  /// Returns the description for the table.
  static func describe(_ words: [String]) -> Command {
    Command(
      words, section: .help, summary: "Show help for recorder or for a command",
      details: [
        "Without COMMAND, lists all commands and topics. \"exit-codes\" lists the exit codes, "
          + "\"references\" explains how to name takes, \"configuration\" lists the settings, \"environment\" "
          + "the variables, and \"files\" the files. The topics microphone-access, guard, voice, long-takes, "
          + "tracks, tapping, sounds, exporting, control-protocol and json explain their subjects. \"manual\" "
          + "prints the manual page. With a topic after it, as in \"manual voice\", it prints the page of that "
          + "topic. COMMAND can also be a word in capitals from a help page, such as TAKE."
      ],
      operands: [subject],
      examples: [
        Example("recorder help", "List the commands"),
        Example("recorder help info", "Show help for \"recorder info\""),
        Example("recorder help exit-codes", "List the exit codes"),
        Example("recorder help references", "Read what @1 and @NAME mean"),
        Example("recorder help voice", "Read about recordings that start with a sound"),
        Example("recorder help manual", "Print the manual page, for \"man -l -\""),
        Example("recorder help manual voice", "Print the page of a topic"),
      ])
  }

  /// Returns the page about a command, a family of commands or a topic, or the overview if there
  /// are no words.
  static func report(on words: [String], _ table: CommandTable) throws(Failure) -> any Report {
    if words.isEmpty { return OverviewPage(table: table, topics: topics) }
    if words == [HelpTopic.listName] { return HelpTopic.list(of: topics) }
    if words == [ExitCodePage.topic] { return ExitCodePage() }
    if words.first == ManualPage.topic {
      return try manual(about: words.dropFirst().joined(separator: " "), table)
    }
    if words.count == 1, let topic = try topic(words[0]) { return topic }
    let isFamily = !table.next(after: words).isEmpty
    if !isFamily, let command = table.command(words) { return CommandPage(command: command) }
    if isFamily { return OverviewPage(table: table.family(of: words), family: words) }
    if let first = words.first, table.contains([first]), words.count > 1 {
      let pages = words.filter { table.contains([$0]) }
      throw Failure(
        .usage, "help explains one command at a time, not \(quoted(words.joined(separator: " ")))",
        advice: "write \(alternatives(pages.map { "\"recorder help \($0)\"" }))")
    }
    let name = words.joined(separator: " ")
    if let page = HelpTopic(placeholder: name, in: table) { return page }
    let nearest = nearestNames(to: name, among: names) + table.nearest(to: words)
    throw Failure(.usage, UsageError.unknownCommand(name, nearest: nearest).message)
  }
}

extension HelpCommand {
  /// Returns the manual page of the program, or of a topic.
  private static func manual(
    about name: String, _ table: CommandTable
  ) throws(Failure) -> any Report {
    if name.isEmpty { return ManualPage(table: table) }
    if HelpTopic.pages.contains(name), let topic = try topic(name) {
      return TopicManualPage(topic: topic)
    }
    throw Failure(
      .usage, "there is no manual page about \(quoted(name))",
      advice: "topics with a page: \(HelpTopic.pages.joined(separator: ", "))")
  }

  /// Returns the topic called `name`, or nil if there is none. Throws if its page is not installed.
  private static func topic(_ name: String) throws(Failure) -> HelpTopic? {
    let topic = HelpTopic.named(name)
    guard topic == nil, HelpTopic.guides.contains(name) else { return topic }
    throw Failure(
      .notFound, "the page \(quoted(name + ".md")) is not installed",
      advice: "install recorder again, with its directory share/recorder/docs")
  }
}

/// A word of a command's name, or a topic.
struct HelpSubject: TextValue, Hashable {
  let text: String

  static let placeholder = "COMMAND"
  static let expectation = Text.expectation
  static let completion = Completion.commands
}
