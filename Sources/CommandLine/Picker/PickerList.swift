internal import Linux
internal import Store

/// The list of takes in a picker: the text to filter by, the takes that fit, and the chosen one.
///
/// It is a value without a terminal: keys change it, and its lines are a function of the size.
struct PickerList {
  /// All takes, the newest first.
  let takes: [ListedTake]
  /// The command that the take is for.
  let title: String
  private let loudness: TakeLoudness
  private(set) var filter = ""
  /// The places of the takes that fit the filter.
  private(set) var shown: [Int]
  /// The place of the chosen take in `shown`.
  private(set) var chosen = 0
  /// The first take in the window.
  private var top = 0
  /// Texts of the takes in small letters, made for the first letter that is typed.
  private var texts: TextColumn?
  private var times = LocalTimes()

  /// The most lines, so that a large window is not filled.
  static let mostRows = 20
  /// Below this number of columns there are no thumbnails.
  private static let wide = 64

  /// - Parameter takes: the newest first.
  init(
    _ takes: [ListedTake], for title: String, loudness: TakeLoudness = TakeLoudness()
  ) {
    self.takes = takes
    self.title = title
    self.loudness = loudness
    shown = Array(takes.indices)
  }

  /// The chosen take; nil where none fits.
  var take: ListedTake? { shown.indices.contains(chosen) ? takes[shown[chosen]] : nil }

  /// Changes the filter or the choice; false for a key without a meaning.
  mutating func obey(_ key: Key, rows: Int) -> Bool {
    let page = max(1, Self.listRows(rows, above: 1) - 1)
    switch key {
    case .up: chosen -= 1
    case .down: chosen += 1
    case .pageUp: chosen -= page
    case .pageDown: chosen += page
    case .home: chosen = 0
    case .end: chosen = shown.count - 1
    case .character(let character): search(filter + String(character))
    case .backspace: search(String(filter.dropLast()))
    case .control("u"): search("")
    default: return false
    }
    chosen = max(0, min(shown.count - 1, chosen))
    return true
  }

  private mutating func search(_ filter: String) {
    guard filter != self.filter else { return }
    self.filter = filter
    if texts == nil { texts = makeTexts() }
    let words = filter.split(separator: " ").map(String.init)
    shown = texts?.places(ofAll: words) ?? []
    (chosen, top) = (0, 0)
  }

  private mutating func makeTexts() -> TextColumn {
    var texts = TextColumn(capacity: takes.count * 128)
    for take in takes {
      let time = times.text(of: take.row.began)
      texts.append("\(take.row.name)\n\(take.path ?? "")\n\(time)\n\(take.row.words)")
    }
    return texts
  }
}

extension PickerList {
  /// The lines for takes among `rows` lines: those between the filter and the last lines.
  private static func listRows(_ rows: Int, above footer: Int) -> Int {
    let rows = min(rows, mostRows)
    return max(1, rows - 1 - (rows >= 5 ? footer : 0))
  }

  /// The keys, in as many words as fit into two lines.
  private static let advice = [
    "Enter chooses, Space plays the beginning, Esc cancels", "Enter chooses, Esc cancels",
    "Esc cancels",
  ]

  /// The last lines where there is room: the loudness of the chosen take, with a note or the keys.
  private func footer(_ width: Int, _ rows: Int, _ note: String?) -> [String] {
    guard min(rows, Self.mostRows) >= 5 else { return [] }
    let most = max(2, min(rows, Self.mostRows) - 3)
    let texts = note.map { [printable($0)] } ?? Self.advice
    let pages = texts.map { wrapped(loudnessText + $0, width: width) }
    let page = pages.first { $0.count <= 2 } ?? pages.last ?? []
    return page.prefix(most).map { shortened($0, to: width) }
  }

  /// The columns of a thumbnail; 0 for none.
  static func thumbnailWidth(_ width: Int) -> Int { width < wide ? 0 : min(40, width / 4) }

  /// The takes in the window, the chosen one first; scrolls to the chosen one.
  mutating func visible(width: Int, rows: Int, note: String? = nil) -> [ListedTake] {
    let count = Self.listRows(rows, above: footer(width, rows, note).count)
    top = max(0, min(top, chosen, shown.count - count))
    if chosen >= top + count { top = chosen - count + 1 }
    let places = shown[top..<min(shown.count, top + count)]
    return ([take].compactMap(\.self))
      + places.map { takes[$0] }.filter { $0.number != take?.number }
  }

  /// The lines, at most `rows` of at most `width` columns.
  ///
  /// - Parameters:
  ///   - thumbnails: the waveforms by the number of the take.
  ///   - note: replaces the keys in the last lines.
  mutating func lines(
    width: Int, rows: Int, thumbnails: [Int: String] = [:], note: String? = nil, _ style: Style
  ) -> [String] {
    _ = visible(width: width, rows: rows, note: note)
    let footer = footer(width, rows, note)
    let count = Self.listRows(rows, above: footer.count)
    var lines = [heading(width, style)]
    guard rows > 1 else { return lines }
    for place in top..<min(shown.count, top + count) {
      lines.append(line(takes[shown[place]], place == chosen, width, thumbnails, style))
    }
    if shown.isEmpty { lines.append(shortened("  no take fits", to: width)) }
    return lines + footer.map { note == nil ? $0 : style.warning($0) }
  }

  /// The measured loudness of the chosen take, before the text of the last lines.
  private var loudnessText: String {
    take.flatMap { loudness[$0] }.map { rounded($0, places: 1) + " LUFS; " } ?? ""
  }

  private func heading(_ width: Int, _ style: Style) -> String {
    let head = "\(title): "
    let count = "\(shown.count)/\(takes.count)"
    let room = width - columns(of: head) - 1
    let typed = String(printable(filter).suffix(max(0, room)))
    let line = shortened(head + typed + "_", to: width)
    let gap = width - columns(of: line) - columns(of: count)
    return gap < 2 ? line : line + String(repeating: " ", count: gap) + count
  }

  private func line(
    _ take: ListedTake, _ isChosen: Bool, _ width: Int, _ thumbnails: [Int: String],
    _ style: Style
  ) -> String {
    var times = times
    // A take without a file has no waveform, so its state has the room.
    let thumbnail = take.number == nil ? 0 : Self.thumbnailWidth(width)
    let digits = String(takes.count).utf8.count
    let number = padded(take.number.map(String.init) ?? "-", to: digits)
    let moment = width < 50 ? "" : times.text(of: take.row.began).dropLast(3) + "  "
    let length = width < 30 ? "" : padded(String(clock(take.row.duration).dropLast(4)), to: 8) + " "
    let head = "\(isChosen ? ">" : " ") \(number)  \(moment)\(length)"
    let room = width - columns(of: head) - (thumbnail > 0 ? thumbnail + 2 : 0)
    let name = name(of: take, max(1, room))
    let text = shortened(head + name, to: width)
    let shown = isChosen ? style.heading(text) : text
    guard thumbnail > 0, let wave = take.number.flatMap({ thumbnails[$0] }) else { return shown }
    return shown + String(repeating: " ", count: max(2, width - thumbnail - columns(of: text)))
      + wave
  }

  /// The name with the state of the file; the end of a name tells takes apart.
  private func name(of take: ListedTake, _ room: Int) -> String {
    guard let path = take.path else {
      return shortened(take.row.isStream ? "(stdout)" : "(no file)", to: room)
    }
    let state = take.state.word.map { "  (\($0))" } ?? ""
    let most = max(min(room, 8), room - columns(of: state))
    return shortened(
      shortened(printable(path.pathParts.name), to: most, cutting: .middle) + state, to: room)
  }
}
