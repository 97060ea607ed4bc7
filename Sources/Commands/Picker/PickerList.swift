internal import Audio
internal import Linux
internal import Store

/// The list of takes in a picker: the filter text, the takes that match it, and the chosen take.
///
/// This type does not use the terminal. Keys change its state. The lines depend only on the state
/// and on the size of the window.
struct PickerList {
  /// All takes, the newest first.
  let takes: [ListedTake]
  /// The name of the command that needs the take.
  let title: String
  private let loudness: TakeLoudness
  /// The number of columns of the longest duration, without milliseconds.
  private let lengthWidth: Int
  private(set) var filter = ""
  /// The indices of the takes that match the filter.
  private(set) var shown: [Int]
  /// The index of the chosen take in `shown`.
  private(set) var chosen = 0
  /// The index of the first visible take in `shown`.
  private var top = 0
  /// The texts for the search in the takes, in lower case. They are made when the first letter is
  /// typed.
  private var texts: TextColumn?
  private var times = LocalTimes()

  /// The highest number of lines, so that the list does not fill a large window.
  static let mostRows = 20
  /// The columns before a thumbnail: room for a take number of four digits, the date, the duration
  /// and a name of the default pattern.
  private static let beforeThumbnail = 66
  /// The smallest width of a thumbnail, in columns.
  private static let leastThumbnail = 8
  /// The smallest room for a name, in columns. If the line is too short, the state of the file is
  /// cut off, not the name.
  private static let leastName = 20

  /// - Parameter takes: the newest first.
  init(_ takes: [ListedTake], for title: String, loudness: TakeLoudness = TakeLoudness()) {
    self.takes = takes
    self.title = title
    self.loudness = loudness
    lengthWidth = max(8, takes.longestDuration - 4)
    shown = Array(takes.indices)
    chosen = firstUsable
  }

  /// The index in `shown` of the newest take with a file, or 0 if no take has one.
  private var firstUsable: Int { shown.firstIndex { takes[$0].exists } ?? 0 }

  /// The chosen take, or nil if no take matches.
  var take: ListedTake? { shown.indices.contains(chosen) ? takes[shown[chosen]] : nil }

  /// Changes the filter or the choice. Returns false if the key has no effect here.
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
    shown = texts?.indices(containingAll: words) ?? []
    (chosen, top) = (firstUsable, 0)
  }

  private mutating func makeTexts() -> TextColumn {
    var texts = TextColumn(capacity: takes.count * 128)
    for take in takes { texts.append(take.searchText(began: times.text(of: take.row.began))) }
    return texts
  }
}

extension PickerList {
  /// Returns the number of lines for takes in a window of `rows` lines. The filter is above these
  /// lines, and the footer below them.
  private static func listRows(_ rows: Int, above footer: Int) -> Int {
    let rows = min(rows, mostRows)
    return max(1, rows - 1 - (rows >= 5 ? footer : 0))
  }

  /// The hints about keys, from the longest to the shortest. The first one that fits into two lines
  /// is shown.
  private static let advice = [
    "Enter chooses, Space plays the beginning, Esc cancels", "Enter chooses, Esc cancels",
    "Esc cancels",
  ]

  /// Returns the last lines: the loudness of the chosen take, and the note or the hint about keys.
  /// Returns no lines if there is no room.
  private func footer(_ width: Int, _ rows: Int, _ note: String?) -> [String] {
    guard min(rows, Self.mostRows) >= 5 else { return [] }
    let most = max(2, min(rows, Self.mostRows) - 3)
    let texts = note.map { [printable($0)] } ?? Self.advice
    let pages = texts.map { wrapped(loudnessText + $0, width: width) }
    let page = pages.first { $0.count <= 2 } ?? pages.last ?? []
    return page.prefix(most).map { shortened($0, to: width) }
  }

  /// Returns the number of columns of a thumbnail, or 0 for no thumbnails.
  static func thumbnailWidth(_ width: Int) -> Int {
    let room = min(40, width / 4, width - beforeThumbnail)
    return room < leastThumbnail ? 0 : room
  }

  /// Scrolls to the chosen take, and returns the visible takes, the chosen one first.
  mutating func visible(width: Int, rows: Int, note: String? = nil) -> [ListedTake] {
    let count = Self.listRows(rows, above: footer(width, rows, note).count)
    top = max(0, min(top, chosen, shown.count - count))
    if chosen >= top + count { top = chosen - count + 1 }
    let indices = shown[top..<min(shown.count, top + count)]
    return ([take].compactMap(\.self))
      + indices.map { takes[$0] }.filter { $0.number != take?.number }
  }

  /// Returns at most `rows` lines of at most `width` columns.
  ///
  /// - Parameters:
  ///   - thumbnails: the waveforms by the number of the take.
  ///   - note: replaces the hint about keys in the last lines.
  mutating func lines(
    width: Int, rows: Int, thumbnails: [Int: String] = [:], note: String? = nil, _ style: Style
  ) -> [String] {
    _ = visible(width: width, rows: rows, note: note)
    let footer = footer(width, rows, note)
    let count = Self.listRows(rows, above: footer.count)
    var lines = [heading(width, style)]
    guard rows > 1 else { return lines }
    for index in top..<min(shown.count, top + count) {
      lines.append(line(takes[shown[index]], index == chosen, width, thumbnails, style))
    }
    if shown.isEmpty { lines.append(shortened("  no matching take", to: width)) }
    return lines + footer.map { note == nil ? $0 : style.warning($0) }
  }

  /// The text before the note or the hint: the measured loudness of the chosen take.
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
    let digits = String(takes.count).utf8.count
    let number = padded(take.number.map(String.init) ?? "-", to: digits)
    let moment = width < 50 ? "" : times.text(of: take.row.began).dropLast(3) + "  "
    let duration = String(clock(take.row.duration).dropLast(4))
    let length = width < 30 ? "" : padded(duration, to: lengthWidth) + " "
    let head = "\(isChosen ? ">" : " ") \(number)  \(moment)\(length)"
    let room = max(1, width - columns(of: head))
    let text = shortened(head + name(of: take, room), to: width)
    let shown = isChosen ? style.heading(text) : text
    // If the line is too short, the thumbnail is left out, so that the name and the state are
    // complete.
    let thumbnail = Self.thumbnailWidth(width)
    let gap = width - thumbnail - columns(of: head + name(of: take, .max))
    guard thumbnail > 0, gap >= 2, let wave = take.number.flatMap({ thumbnails[$0] }) else {
      return shown
    }
    return shown + String(repeating: " ", count: gap) + wave
  }

  /// Returns the name with the state of the file. A long name is shortened in the middle, because
  /// the names of takes differ at the end.
  private func name(of take: ListedTake, _ room: Int) -> String {
    guard let path = take.path else {
      return shortened(take.row.isStream ? "(stdout)" : "(no file)", to: room)
    }
    let state = take.state.word.map { "  (\($0))" } ?? ""
    let most = max(min(room, Self.leastName), room - columns(of: state))
    return shortened(
      shortened(printable(path.pathParts.name), to: most, cutting: .middle) + state, to: room)
  }
}
