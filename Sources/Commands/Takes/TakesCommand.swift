internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

/// The command `takes`, which lists finished recordings.
enum TakesCommand: RunnableCommand {
  static var words: [String] { ["takes"] }

  private static let search = Operand<Text>(
    .any, named: "SEARCH",
    summary: "List only takes with all of these words in the path, name, date, title, note or marks"
  )
  private static let since = Option<PastMoment>(
    "since", summary: "List only takes that began at or after this time, or on or after this day")
  private static let until = Option<PastMoment>(
    "until", summary: "List only takes that began before this time, or by the end of this day")

  static var command: Command {
    Command(
      words, section: .recording, summary: "List finished recordings",
      details: [
        "Lists the takes in the order in which they were saved, the newest last. The time in a line is the "
          + "beginning of the take, so a long take can follow a take that began later. If "
          + "\"recorder recover\" saved a recording, the time of the recovery counts. If several "
          + "machines share the home directory, the list is sorted by the beginnings instead.",
        "The number before a take is for references such as @1: 1 is the newest take with a file. A take "
          + "without a file has a dash. Each file of a split take has its own line and number.",
        "A recording that did not end normally is listed with the reason; --json also has its exit code. "
          + "A file is marked if it was later changed, removed or replaced, if --keep deleted it, or if "
          + "it is in the trash.",
        "If another program moved a file within its directory, into a subdirectory of it or into the "
          + "working directory, the file is found, and a message on stderr names its new path. If the file "
          + "was moved elsewhere, it is found when you give its new path to a command, as in \"recorder rename "
          + "PATH NAME\".",
        "A take that \"recorder info --levels\" has measured is listed with its loudness, if all columns fit "
          + "into the terminal. The title of \"recorder start --title\" follows the name, or is on the next "
          + "line. Tracks are on a line below.",
        "Running recordings are named below the list. Interrupted recordings are also named there, until "
          + "\"recorder recover\" saves them, or for about 30 days if their files are missing.",
      ],
      operands: [search],
      options: [OptionGroup("Options", [since, until])],
      examples: [
        Example("recorder takes", "List all takes"),
        Example("recorder takes interview", "List takes with interview in the path or name"),
        Example("recorder takes --since 3d", "List the takes of the last three days"),
      ])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let store = try SessionClient().store
    store.addAnnouncedTakes(console)
    let filter = TakeFilter(
      words: arguments[search].map(\.value),
      from: try PastMoment.sinceEpoch(arguments[since], of: "--since"),
      to: try PastMoment.sinceEpoch(arguments[until], of: "--until", isEnd: true))
    let all = store.catalogue.listedTakes(TakeLookup.search(console))
    var report = TakesReport(
      takes: filter.admitsAll ? all : all.filter(filter.admits), words: filter.words,
      loudness: store.catalogue.loudness)
    report.hasAny = !all.isEmpty
    report.width =
      console.isJSON ? nil : Terminal.size(of: StandardStream.output.rawValue)?.columns
    report.deliveries = store.deliveries(console)
    report.interrupted = store.deadSessions.interrupted
    report.missing = store.deadSessions.lost
    report.lost = store.deadSessions.reportedLost
    report.running = store.sessions.live
    // The list is printed in pieces, because the text of many takes is too long for one string.
    if console.isJSON {
      try report.writeObjects(TakeLines(of: store)) { text in
        try console.print(text)
      }
    } else {
      try report.printLines(console)
    }
    return SilentReport(exitCode: .done)
  }
}

/// The conditions for takes in the list.
struct TakeFilter {
  /// The words that a take must contain, in lower case.
  let words: [String]
  let from: Duration?
  let to: Duration?

  init(words: [String], from: Duration? = nil, to: Duration? = nil) {
    self.words = words.map { $0.lowercased() }
    self.from = from
    self.to = to
  }

  /// Whether there are no conditions.
  var admitsAll: Bool { words.isEmpty && from == nil && to == nil }

  func admits(_ take: ListedTake) -> Bool {
    if let from, take.row.began < from { return false }
    if let to, take.row.began >= to { return false }
    guard !words.isEmpty else { return true }
    let text = take.searchText(began: localTime(of: take.row.began)).lowercased()
    return words.allSatisfy(text.holds)
  }
}

/// The report of finished recordings.
struct TakesReport {
  /// The takes to list, the oldest first.
  let takes: [ListedTake]
  /// The words that were searched for.
  var words: [String] = []
  var loudness = TakeLoudness()
  /// Whether any take exists, listed or not.
  var hasAny = false
  /// The width of the terminal, or nil if lines are not wrapped.
  var width: Int?

  /// The waiting deliveries of takes.
  var deliveries: [DeliveryQueue] = []
  /// The recordings whose sessions died.
  var interrupted: [SessionRecord] = []
  /// The interrupted recordings whose parts no longer exist.
  var missing: [SessionRecord] = []
  /// The missing recordings that `recover` has reported.
  var lost: [SessionRecord] = []
  /// The running recordings.
  var running: [SessionRecord] = []

  private static let mostInPage = 1_000
  /// The lowest number of takes for which a second thread formats half of the lines.
  private static let many = 8_000

  func text(_ style: Style) -> String { pages(style).joined() }

  /// Returns the text of a range of takes in pieces, each made when it is needed.
  private func pages(_ style: Style, _ range: Range<Int>? = nil) -> some Sequence<String> {
    let range = range ?? takes.indices
    let isKnown = !loudness.isEmpty && takes.contains { loudness[$0] != nil }
    var table = TakeTable(takes, width: width, style: style, loudness: isKnown ? loudness : nil)
    let starts = stride(from: range.lowerBound, to: range.upperBound, by: Self.mostInPage)
    return starts.lazy.map { start in
      table.lines(takes[start..<min(range.upperBound, start + Self.mostInPage)])
    }
  }

  private var nothing: String {
    words.isEmpty
      ? hasAny ? "No take began in that time.\n" : "There are no takes.\n"
      : "No take matches \(alternatives(words.map(quoted), "and")).\n"
  }

  /// Prints the text in pieces.
  func printLines(_ console: Console) throws {
    if takes.isEmpty { try console.print(width.map { fitted(nothing, width: $0) } ?? nothing) }
    try printPages(console)
    for queue in deliveries where !queue.isIdle {
      try console.print("\n" + queue.block(console.style))
    }
    if !running.isEmpty {
      let verb = running.count == 1 ? "is" : "are"
      let words = "\(counted(running.count, "recording")) \(verb) running: \(names(of: running))."
      try console.print("\n" + paragraph(words + " Show with: recorder status"))
    }
    if !interrupted.isEmpty { try console.print("\n" + paragraph(rescue)) }
    for record in missing {
      let words = "\(printable(record.name)) was interrupted, and \(record.rescue)."
      try console.print("\n" + paragraph(words))
    }
    if !lost.isEmpty { try console.print("\n") }
    for record in lost {
      let began = localTime(of: record.began)
      let words = "Lost: \(printable(record.name)), which began at \(began); \(record.rescue)."
      try console.print(paragraph(words))
    }
  }

  private func names(of records: [SessionRecord]) -> String {
    alternatives(records.map { printable($0.name) }, "and")
  }

  private var rescue: String {
    "\(counted(interrupted.count, "recording")) \(interrupted.count == 1 ? "was" : "were") "
      + "interrupted: \(names(of: interrupted)). Save with: recorder recover"
  }

  /// Prints the lines of the takes. If there are many takes, a second thread formats the second
  /// half while the first half is printed.
  private func printPages(_ console: Console) throws {
    let style = console.style
    let half = takes.count < Self.many ? takes.count : takes.count / 2
    guard half < takes.count else {
      for page in pages(style) { try console.print(page) }
      return
    }
    let (first, rest) = Thread.both(
      {
        Result {
          for page in pages(style, 0..<half) { try console.print(page) }
        }
      },
      { Array(pages(style, half..<takes.count)) })
    try first.get()
    for page in rest { try console.print(page) }
  }

  /// Writes the line of JSON in pieces of about 1 MiB.
  func writeObjects(_ lines: TakeLines, to write: (String) throws -> Void) throws {
    var lines = lines
    var page = Array("{\"schema\":\(schemaOfResults),\"takes\":[".utf8)
    for (index, take) in takes.enumerated() {
      if index > 0 { page.append(UInt8(ascii: ",")) }
      take.appendObject(to: &page, lines.text(of: take), loudness[take])
      if page.count > 1 << 20 {
        try write(String(decoding: page, as: UTF8.self))
        page.removeAll(keepingCapacity: true)
      }
    }
    let queues = JSONValue.array(deliveries.map { $0.json() }).encoded()
    let interrupted = JSONValue.array(interrupted.map { .object($0.listed) }).encoded()
    let missing = (missing + lost).missingParts.encoded()
    let running = JSONValue.array(running.map { .object($0.listed) }).encoded()
    page += "],\"deliveries\":\(queues),\"running\":\(running)".utf8
    page += ",\"interrupted\":\(interrupted)".utf8
    page += ",\"missing\":\(missing)}\n".utf8
    try write(String(decoding: page, as: UTF8.self))
  }
}

extension ListedTake {
  /// Returns the text in which a search looks for its words.
  ///
  /// - Parameter began: the local time of the beginning.
  func searchText(began: String) -> String {
    "\(row.name)\n\(files.joined(separator: "\n"))\n\(began)\n\(words)"
  }

  /// Appends the object of the take: the line of the catalogue, with the members that the list
  /// adds.
  fileprivate func appendObject(
    to page: inout [UInt8], _ line: (text: ArraySlice<UInt8>, isPlain: Bool)?, _ loudness: Double?
  ) {
    if let line, line.isPlain, isWhereSaved {
      page += line.text[..<(line.text.endIndex - 1)]
      if let number { page += ",\"number\":\(number)".utf8 }
      page += (exists ? ",\"exists\":true" : ",\"exists\":false").utf8
      page += (state == .changed ? ",\"changed\":true" : ",\"changed\":false").utf8
      page += (state == .replaced ? ",\"replaced\":true" : ",\"replaced\":false").utf8
      if state == .pruned || host != nil || loudness != nil {
        var more = JSONObject()
        more.set("loudness", loudness)
        more.set("deleted", deleter)
        more.set("host", host?.name)
        for member in more.members {
          page += ",\"\(member.key)\":\(member.value.encoded())".utf8
        }
      }
      page.append(UInt8(ascii: "}"))
    } else {
      let json = line.flatMap { line in
        try? JSONValue(
          decoding: Array(line.text).span, limits: JSONLimits(bytes: line.text.count))
      }
      page += JSONValue.object(members(of: json?.object, loudness)).encoded().utf8
    }
  }

  /// The word for the rule that deleted the file, or nil if no rule did.
  private var deleter: String? { state == .pruned ? "keep" : nil }

  /// Returns the members of the take's line in the catalogue, followed by its current facts.
  func members(of line: JSONObject?, _ loudness: Double?) -> JSONObject {
    var members = line ?? ["id": row.identifier.json, "name": row.name.json]
    members.set("path", path)
    members.set("sidecar", sidecar)
    if title != row.title { members.set("title", title.isEmpty ? nil : title) }
    if !isWhereSaved, !tracks.files.isEmpty { members["tracks"] = tracks.json }
    members.set("number", number)
    members.set("exists", exists)
    members.set("changed", state == .changed)
    members.set("replaced", state == .replaced)
    members.set("loudness", loudness)
    members.set("trash", trash)
    members.set("deleted", deleter)
    members.set("host", host?.name)
    return members
  }
}
