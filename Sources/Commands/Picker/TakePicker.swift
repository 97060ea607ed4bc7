internal import Linux
internal import Store

/// The picker of a take on the terminal, for commands that were typed without a take.
struct TakePicker: ~Copyable {
  private var list: PickerList
  private let screen = LiveScreen(isQuiet: false)
  private let signals: Signals
  private var thumbnails: Thumbnails
  private var preview: TakePreview
  private var note: String?
  /// The name that the user has to type, or nil if the command needs none.
  private let naming: PickedName?
  /// The name that is being typed, or nil while the user picks a take.
  private var name: String?

  /// The delay between the last key and the computation of thumbnails. Without this delay,
  /// scrolling would start a process for each take.
  private static let rest = Duration.milliseconds(120)

  private enum Step {
    case `continue`, chosen, cancelled
  }

  private init(
    _ list: PickerList, _ naming: PickedName?, by program: String, preview options: [String],
    _ signals: consuming Signals
  ) {
    self.list = list
    self.naming = naming
    self.signals = signals
    preview = TakePreview(options)
    thumbnails = Thumbnails(by: program)
  }

  /// Lets the user pick a take, and returns the operands of the command. Throws if there are no
  /// takes, or if the user cancels.
  ///
  /// - Parameters:
  ///   - command: the name of the command.
  ///   - naming: the name to ask for after the take, or nil if the command needs none.
  ///   - preview: the options for `play`, which plays the previews.
  static func operands(
    of command: String, _ naming: PickedName?, preview options: [String]
  ) throws -> [String] {
    let store = try SessionClient().store
    store.announcements.addTakes()
    let takes = store.catalogue.listedTakes(TakeLookup.search(Console()))
    let list = PickerList(takes.reversed(), for: command, loudness: store.catalogue.loudness)
    guard !list.takes.isEmpty else {
      throw Failure(
        .notFound, "there are no takes to choose from",
        advice: "\"recorder start\" records one; \"recorder help \(command)\" shows the arguments")
    }
    let operands = try Failure.context("cannot show the takes") {
      let program = try ExecutablePath.current()
      let signals = try Signals([
        .interrupt, .terminate, .quit, .hangUp, .terminalStop, .windowChange,
      ])
      var picker = TakePicker(list, naming, by: program, preview: options, signals)
      let operands = try picker.run()
      picker.end()
      return operands
    }
    guard let operands else {
      throw Failure(.interrupted, "cancelled; nothing was changed")
    }
    return operands
  }

  /// Restores the terminal, ends the background processes, and restores the default handling of
  /// signals.
  private consuming func end() {
    screen.close()
    thumbnails.cancel()
    preview.stop()
    signals.release()
  }
}

extension TakePicker {
  private mutating func run() throws(SystemError) -> [String]? {
    var isRested = true
    while true {
      draw(wantingThumbnails: isRested)
      let isReady = try wait(isRested)
      isRested = !isReady || isRested
      if takeSignals() { return nil }
      if thumbnails.serve() { isRested = true }
      settlePreview()
      for key in screen.keys() {
        isRested = false
        switch name == nil ? pick(key) : edit(key) {
        case .continue: continue
        case .cancelled: return nil
        case .chosen:
          guard let path = list.take?.path else { continue }
          if let name { return [path, name] }
          guard let naming else { return [path] }
          preview.stop()
          name = path.pathParts.name.nameParts.stem + naming.ending
        }
      }
    }
  }

  /// Waits for a key, a signal or a background process. Returns false after a time-out.
  private mutating func wait(_ isRested: Bool) throws(SystemError) -> Bool {
    var poll = Poll(capacity: 4)
    for number in [
      signals.descriptor.number, screen.number, thumbnails.number, preview.number,
    ] { poll.add(number) }
    let left = preview.end.map { max(.zero, $0 - KernelClock.monotonic.now) }
    let limit = isRested ? left : min(Self.rest, left ?? Self.rest)
    return try poll.wait(upTo: limit) > 0
  }

  /// Returns true for Ctrl-C. Other signals stop or end the process, after the terminal is
  /// restored.
  private mutating func takeSignals() -> Bool {
    while let signal = signals.next() {
      switch signal {
      case .interrupt: return true
      case .windowChange: continue
      default:
        thumbnails.cancel()
        preview.stop()
        screen.obey(signal)
      }
    }
    return false
  }

  private mutating func settlePreview() {
    if let end = preview.end, end <= KernelClock.monotonic.now { preview.stop() }
    guard preview.number >= 0, Poll.isReady(preview.number) else { return }
    note = preview.finishPlay() ?? note
  }

  private mutating func pick(_ key: Key) -> Step {
    note = nil
    switch key {
    case .escape: return .cancelled
    case .enter:
      guard let take = list.take else { return .continue }
      if take.exists { return .chosen }
      note = take.state.refusal
    case .character(" "): togglePreview()
    default:
      let before = list.take?.number
      _ = list.obey(key, rows: rows)
      if list.take?.number != before { preview.stop() }
    }
    return .continue
  }

  private mutating func togglePreview() {
    guard preview.end == nil else { return preview.stop() }
    guard let take = list.take else { return }
    guard take.exists, let path = take.path else {
      note = take.state.refusal
      return
    }
    do throws(SystemError) {
      try preview.play(path)
      note = "playing the beginning; Space stops"
    } catch {
      note = "cannot play: \(error)"
    }
  }

  /// Edits the name of the new file.
  private mutating func edit(_ key: Key) -> Step {
    switch key {
    case .escape: name = nil
    case .enter: return name?.isEmpty == false ? .chosen : .continue
    case .backspace: name = name.map { String($0.dropLast()) }
    case .control("u"): name = ""
    case .character(let character): name?.append(character)
    default: break
    }
    return .continue
  }

  private var rows: Int {
    let rows = Terminal.size(of: StandardStream.error.rawValue)?.rows ?? 0
    return min(PickerList.mostRows, rows > 0 ? rows : PickerList.mostRows)
  }

  private mutating func draw(wantingThumbnails: Bool) {
    let columns = Terminal.size(of: StandardStream.error.rawValue)?.columns ?? textWidth
    let width = max(1, columns - 1)
    let visible = list.visible(width: width, rows: rows, note: note)
    if wantingThumbnails, name == nil {
      thumbnails.want(visible, width: PickerList.thumbnailWidth(width))
    }
    let (known, note, rows) = (thumbnails.known, note, rows)
    let typed = name.flatMap { name in naming.map { (prompt: $0.prompt, name: name) } }
    var list = list
    screen.draw { width, _, style in
      if let typed {
        let room = max(0, width - typed.prompt.utf8.count - 1)
        return [shortened(typed.prompt + printable(typed.name).suffix(room) + "_", to: width)]
      }
      return list.lines(width: width, rows: rows, thumbnails: known, note: note, style)
    }
  }
}

extension ListedTake.State {
  /// The reason why the take cannot be chosen.
  fileprivate var refusal: String {
    switch self {
    case .trashed: "this take is in the trash"
    case .pruned: "--keep deleted the file of this take"
    case .replaced: "a later take has replaced this file"
    case .unfiled: "this take has no file"
    case .whole, .changed, .missing: "the file of this take is missing"
    }
  }
}

/// A name that the picker asks for after a take is chosen.
struct PickedName {
  /// The ASCII text before the name.
  let prompt: String
  /// The extension of the proposed name.
  let ending: String
}

/// Adds missing operands to a command line: the user picks them from a list.
enum OperandPicking {
  /// The commands that take a file or a take.
  private static let commands: Set<String> = ["play", "show", "info", "export", "rename", "trash"]
  /// The names that the picker asks for after the take, by command.
  private static let names = [
    "export": PickedName(prompt: "write to: ", ending: ".flac"),
    "rename": PickedName(prompt: "new name: ", ending: ""),
  ]

  /// Lets the user pick the missing operands, and runs this program again with them. Returns if
  /// this is not possible: if the error is not a missing operand, if the command takes no file, or
  /// if there is no usable terminal.
  static func complete(_ words: [String], after error: UsageError, _ table: CommandTable) throws {
    guard case .missingOperand(_, let command) = error, commands.contains(command),
      StandardStream.allCases.allSatisfy({ Terminal.isTerminal($0.rawValue) }),
      Keyboard.isUsable, !words.contains(GlobalOption.json.entry.spelling),
      !Drawing.current.isDumb
    else { return }
    let naming = names[command]
    // Picking is useful only if nothing else is wrong: the command line must be valid with a take,
    // and with a name if the command needs one.
    var (preview, assumed) = ([String](), ["@1"])
    if naming != nil { assumed.append("a") }
    do throws(UsageError) {
      let invocation = try Parser.parse(words + assumed, by: table)
      if command == "play" { preview = PlayCommand.deviceWords(invocation.arguments) }
    } catch {
      return
    }
    var operands = try TakePicker.operands(of: command, naming, preview: preview)
    if !words.contains("--") { operands.insert("--", at: 0) }
    throw Failure(
      "cannot run recorder again",
      Program.become(try ExecutablePath.current(), adding: operands))
  }
}
