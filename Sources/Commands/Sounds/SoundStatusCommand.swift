internal import Audio
internal import Control
internal import JSON
internal import Linux

/// The command `sound status`, which lists the player's sounds.
enum SoundStatusCommand: RunnableCommand {
  static var words: [String] { ["sound", "status"] }

  private static let watch = Flag(
    "watch", short: "w", summary: "Update continuously, until q or Ctrl-C")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Show the sounds of the player",
      details: [
        "Shows the state, position and volume of each sound that was played recently. With --watch, "
          + "if stdout is not a terminal, prints each update as a line of JSON."
      ],
      options: [OptionGroup("Options", [watch])],
      examples: [
        Example("recorder sound status", "Show the sounds of the player"),
        Example("recorder sound status --watch", "Watch them"),
        Example("recorder sound status --json", "Print them as JSON"),
      ])
  }

  static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    guard arguments[watch] else { return try currentReport() }
    let isDrawn = Terminal.isTerminal(StandardStream.output.rawValue) && !console.isJSON
    let screen = isDrawn ? try WatchScreen() : nil
    while screen?.isOver() != true {
      let report = try currentReport()
      guard try hasReader({ try show(report, on: screen, console) }) else { break }
    }
    return SilentReport(exitCode: .done)
  }

  /// Shows the report, and waits for the next update.
  private static func show(
    _ report: SoundStatusReport, on screen: WatchScreen?, _ console: Console
  ) throws(SystemError) {
    guard let screen else {
      try StandardStream.output.write(report.encoded)
      return KernelClock.sleep(pace)
    }
    try screen.draw(report.page, console.style)
    var poll = Poll(capacity: 2)
    for number in screen.numbers { poll.add(number) }
    try poll.wait(upTo: pace)
  }

  private static let pace = Duration.milliseconds(200)

  private static func currentReport() throws -> SoundStatusReport {
    guard var client = try PlayerClient.running() else { return SoundStatusReport(sounds: []) }
    return try SoundStatusReport(client.ask(.status))
  }
}

/// The report of the player's sounds.
struct SoundStatusReport: Report {
  let sounds: [SoundStatus]
  /// The text if there are no sounds.
  var nothing = "No sound is active."
  /// Whether the volume is shown even if it is the full volume.
  var showsVolume = false
  /// The width of the lines in columns.
  var width = textWidth
  /// The player's devices, or nil if they were not requested.
  private var outputs: JSONValue?

  init(sounds: [SoundStatus]) { self.sounds = sounds }

  init(_ answer: JSONObject) throws {
    guard let sounds = answer["sounds"].flatMap({ [SoundStatus](json: $0) }) else {
      throw PlayerClient.otherVersion
    }
    self.sounds = sounds
    outputs = answer["outputs"]
  }

  var json: JSONObject {
    var members: JSONObject = ["sounds": .array(sounds.map(\.json))]
    members["outputs"] = outputs
    return members
  }

  /// Prints a note for each sound that is shorter than the position of a seek.
  func remark(on position: Duration, _ console: Console) {
    for sound in sounds where sound.duration > .zero && position > sound.duration {
      console.note(
        "\(clock(position)) is past the end of \(quoted(sound.name)), which lasts "
          + clock(sound.duration))
    }
  }

  func text(_ style: Style) -> String {
    if sounds.isEmpty { return nothing + "\n" }
    let names = sounds.shownNames.map(printable)
    let most = max(8, min(24, width - Self.figures))
    let column = names.map { columns(of: $0) }.filter { $0 <= most }.max() ?? 0
    return zip(sounds, names).map { line($0, $1, max(8, column), style) }.joined() + gaps(style)
  }

  /// The page that is updated continuously.
  var page: LivePage {
    let gaps = gaps(.plain).split(separator: "\n").map(String.init)
    let views = zip(sounds, sounds.shownNames).map { sound, name in
      var view = LiveView(sound)
      view.title = printable(name)
      return view
    }
    return LivePage(views: views, notes: gaps, nothing: nothing)
  }

  /// Returns the warnings about devices with underruns, which are audible gaps.
  private func gaps(_ style: Style) -> String {
    (outputs?.array ?? []).map { output in
      guard let count = output["underruns"].flatMap({ Int(json: $0) }), count > 0 else { return "" }
      let name = quoted(shortened(output["device"]?.string ?? "", to: 24))
      let dropouts = counted(count, "dropout")
      return style.warning("\(name) had \(dropouts): the machine or server was slow") + "\n"
    }.joined()
  }

  /// The columns of the state and the position, including the spaces before them.
  private static let figures = 2 + 8 + 2 + 18

  /// Returns the sound's line. A name that is wider than the column has its own line, so that the
  /// user can copy it. The remarks are on lines below if they do not fit after the position.
  private func line(
    _ sound: SoundStatus, _ name: String, _ column: Int, _ style: Style
  ) -> String {
    let isWide = columns(of: name) > column
    let above = isWide ? name + "\n" : ""
    let title = padded(isWide ? "" : name, to: column)
    let state = padded(sound.state.rawValue, to: 8)
    let shown = sound.state == .playing ? style.good(state) : state
    let progress = "\(short(sound.position)) of \(short(sound.duration))"
    let head = "\(title)  \(shown)  \(padded(progress, to: 18))"
    let remarks = remarks(sound)
    if columns(of: head) + 2 + columns(of: remarks) <= width {
      return above + trimmed("\(head)  \(remarks)") + "\n"
    }
    let lines = wrapped(remarks, width: width - 2).map { "  \(shortened($0, to: width - 2))\n" }
    return above + trimmed(head) + "\n" + lines.joined()
  }

  private func remarks(_ sound: SoundStatus) -> String {
    var remarks: [String] = []
    if sound.isMuted { remarks.append("muted") }
    if showsVolume || sound.volume != 1 {
      remarks.append("volume " + volumeText(sound.volume))
    }
    remarks += sound.plays
    if sound.output != "default" { remarks.append(printable(sound.output)) }
    return remarks.joined(separator: ", ")
  }

  private func short(_ duration: Duration) -> String { String(clock(duration).dropLast(1)) }
}

extension SoundStatus {
  /// The facts about the plays of the sound, in a few words each.
  var plays: [String] {
    var words: [String] = []
    if playsLeft == nil { words.append("loop") }
    if let playsLeft, playsLeft > 1 { words.append("\(playsLeft) plays left") }
    if let next { words.append("next \(printable(next.pathNames.last ?? next))") }
    if voices > 1 { words.append("\(voices) at once") }
    if queued > 0 { words.append("\(queued) queued") }
    return words
  }
}

extension [SoundStatus] {
  /// The names to show, not escaped. For a file, the name is the end of its path, with as few parts
  /// as are needed to distinguish it from the other sounds.
  var shownNames: [String] {
    let names = Set(names: map(\.name)).map(\.text)
    return map { sound in
      let parts = sound.name.pathNames
      let others = names.filter { !$0.isSameName(as: sound.name) }.map(\.pathNames)
      let count = parts.indices.map { $0 + 1 }.first { count in
        !others.contains { $0.suffix(count) == parts.suffix(count) }
      }
      return count.map { parts.suffix($0).joined(separator: "/") } ?? sound.name
    }
  }
}
