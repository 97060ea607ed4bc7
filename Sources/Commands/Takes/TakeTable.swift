internal import Audio
internal import Control
internal import Linux
internal import Store

/// The table of takes: one line for each take, with as many columns as fit into the terminal.
///
/// If there is too little room, figures such as the size are left out before names are shortened.
/// Tracks are on a line below their take. A title or a state is also on a line below if it does not
/// fit next to the path.
struct TakeTable {
  private let style: Style
  /// The width of the terminal, or nil if lines are not wrapped.
  private let width: Int?
  private let digits: Int
  private let shape: Shape
  /// The measured loudness of takes, or nil if none is known. The table then has no column for it.
  private let loudness: TakeLoudness?
  private var times = LocalTimes()

  /// The width below which the directory of the path is left out.
  private static let narrow = 70

  /// - Parameter takes: all takes of the table, the oldest first.
  init(_ takes: [ListedTake], width: Int?, style: Style, loudness: TakeLoudness? = nil) {
    self.width = width
    self.style = style
    self.loudness = loudness
    digits = String(takes.lazy.compactMap(\.number).first ?? 0).utf8.count
    shape = Shape(for: takes, width: width, digits: digits, hasLoudness: loudness != nil)
  }

  /// Formats the lines of some takes.
  mutating func lines(_ takes: ArraySlice<ListedTake>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(takes.count * 144)
    for take in takes { add(take, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func add(_ take: ListedTake, to text: inout [UInt8]) {
    let start = text.count
    let row = take.row
    text.append(take.number.map(String.init) ?? "-", to: digits)
    if !shape.moment.isEmpty {
      text.append("  ")
      times.append(row.began, shape.moment, to: &text)
    }
    Self.append(row.duration, cutting: shape.cut, to: shape.duration, &text)
    addFigures(take, to: &text)
    text.append("  ")
    let room = width.map { max(1, $0 - (text.count - start)) } ?? .max
    let notes = take.notes
    // Most takes have no notes and no title.
    if notes.isEmpty, take.title.isEmpty {
      text.append(file(of: take, room))
    } else {
      addFile(of: take, notes.joined(separator: "; "), room, to: &text)
    }
    if !row.tracks.isEmpty { addBelow(lines(of: take.tracks.line), to: &text) }
    text.append("\n")
  }

  /// Adds the file, its title and its notes. Title and notes are after the file, or on lines below
  /// it if they do not fit.
  private func addFile(of take: ListedTake, _ notes: String, _ room: Int, to text: inout [UInt8]) {
    let notes = notes.isEmpty ? "" : "(\(notes))"
    let file = file(of: take, room)
    var (rest, below) = (room, [String]())
    if !notes.isEmpty {
      if columns(of: file) + 2 + columns(of: notes) <= room {
        rest -= 2 + columns(of: notes)
      } else {
        below += lines(of: notes).map(style.warning)
      }
    }
    let isBeside = below.isEmpty && !notes.isEmpty
    text.append(file)
    let title = take.title.isEmpty ? "" : quoted(take.title)
    if !title.isEmpty {
      if columns(of: file) + 2 + columns(of: title) <= rest {
        text.append("  " + title)
      } else {
        below = lines(of: title) + below
      }
    }
    if isBeside { text.append("  " + style.warning(notes)) }
    addBelow(below, to: &text)
  }

  private func addBelow(_ lines: [String], to text: inout [UInt8]) {
    let margin = String(repeating: " ", count: digits + 2)
    for line in lines { text.append("\n" + margin + line) }
  }

  /// Returns the lines of a text below the name.
  private func lines(of text: String) -> [String] {
    let room = max(1, (width ?? .max) - digits - 2)
    return wrapped(text, width: room).map { shortened($0, to: room, cutting: .middle) }
  }

  /// Adds the size, the marks and the loudness, each only if the table has a column for it.
  private func addFigures(_ take: ListedTake, to text: inout [UInt8]) {
    if shape.hasSize {
      let size = take.isUnfiled ? "" : ByteCount(take.row.bytes).description
      text.append(size, to: Shape.size)
    }
    if shape.hasMarks {
      let marks = take.row.marks
      text.append("  ")
      text.append(marks == 0 ? "" : counted(marks, "mark"), filledTo: shape.marks - 2)
    }
    guard shape.hasLoudness, let loudness else { return }
    text.append(loudness[take].map { rounded($0, places: 1) + " LUFS" } ?? "", to: Shape.loudness)
  }

  /// Appends the same text as `clock`. Durations below ten minutes are formatted here, without the
  /// general function for numbers.
  private static func append(
    _ duration: Duration, cutting cut: Int, to width: Int, _ text: inout [UInt8]
  ) {
    guard width > 0 else { return }
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, seconds < 600, cut == 0 else {
      return text.append(String(clock(duration).dropLast(cut)), to: width)
    }
    text.append("", to: width - 8)
    text.append(number: seconds / 60, digits: 1)
    text.append(UInt8(ascii: ":"))
    text.append(number: seconds % 60, digits: 2)
    text.append(UInt8(ascii: "."))
    text.append(number: attoseconds / 1_000_000_000_000_000, digits: 3)
  }

  private func destination(of take: ListedTake) -> String {
    take.path.map(printable) ?? take.absence
  }

  /// Returns the path, or only the name in a narrow terminal, shortened to `room`.
  private func file(of take: ListedTake, _ room: Int) -> String {
    if let width, width < Self.narrow { return name(of: take, room) }
    return path(of: take, room)
  }

  /// Returns the path without its first directories, so that it fits into `room`.
  private func path(of take: ListedTake, _ room: Int) -> String {
    let whole = destination(of: take)
    guard let path = take.path, columns(of: whole) > room else { return whole }
    var names = path.pathNames[...]
    while names.count > 1 {
      names.removeFirst()
      let rest = "…/" + printable(names.joined(separator: "/"))
      if columns(of: rest) <= room { return rest }
    }
    return name(of: take, room)
  }

  /// Returns the name alone. It is shortened in the middle, because the names of takes differ at
  /// the end.
  private func name(of take: ListedTake, _ room: Int = .max) -> String {
    guard let path = take.path else { return shortened(destination(of: take), to: room) }
    return shortened(printable(path.pathParts.name), to: room, cutting: .middle)
  }
}

/// The columns that precede the names in a table of takes.
private struct Shape {
  /// The characters of `2026-03-01 14:03:05` that are shown, as a range of positions.
  var moment = 0..<19
  /// The columns of the duration with the space before it, or 0 if it is not shown.
  var duration = 13
  /// The number of characters that are cut off at the end of the duration.
  var cut = 0
  /// The columns of the marks with the space before them, or 0 if they are not shown.
  var marks = 10
  var hasSize = true
  var hasLoudness: Bool

  var hasMarks: Bool { marks > 0 }

  /// The columns of the size and of the loudness, with the space before them.
  static let size = 12
  static let loudness = 12

  /// The room for a long name, in columns. Figures are left out to keep it.
  private static let wantedName = 30
  /// The smallest room for a name, in columns. The date and the duration are left out to keep it.
  private static let leastName = 15

  /// Creates the widest shape that leaves room for the names.
  init(for takes: [ListedTake], width: Int?, digits: Int, hasLoudness: Bool) {
    self.hasLoudness = hasLoudness
    let longest = takes.longestDuration
    duration = max(duration, 2 + longest)
    guard let width else { return }
    let most = takes.lazy.map(\.row.marks).max() ?? 0
    marks = most == 0 ? 0 : 2 + counted(most, "mark").utf8.count
    let widest = Self.widestName(takes)
    let room = width - digits - 2
    // Unused columns are removed before figures are left out.
    if columns + widest > room { duration = 2 + longest }
    // The loudness is the first figure to be left out, because few takes have a loudness, and
    // `info` shows it.
    if columns + widest > room { self.hasLoudness = false }
    if columns + widest > room { hasSize = false }
    if columns + widest > room { marks = 0 }
    if columns + widest > room { (moment, duration, cut) = (0..<16, max(9, 2 + longest - 4), 4) }
    let least = min(widest, Self.leastName)
    if columns + least > room { moment = 5..<16 }
    if columns + least > room { duration = min(duration, 2 + longest - cut) }
    if columns + least > room { moment = 0..<0 }
    if columns + least > room { duration = 0 }
  }

  private var columns: Int {
    (moment.isEmpty ? 0 : 2 + moment.count) + duration + (hasSize ? Self.size : 0)
      + marks + (hasLoudness ? Self.loudness : 0)
  }

  /// Returns the columns of the widest name, at most `wantedName`. Counts bytes instead of columns,
  /// because that is faster for a long list.
  private static func widestName(_ takes: [ListedTake]) -> Int {
    var widest = 0
    for take in takes {
      let name =
        take.path?.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.count
        ?? take.absence.utf8.count
      widest = max(widest, min(name, wantedName))
      if widest == wantedName { break }
    }
    return widest
  }
}

extension [ListedTake] {
  /// The width of the longest duration, in columns.
  var longestDuration: Int { clock(lazy.map(\.row.duration).max() ?? .zero).utf8.count }
}

extension ListedTake {
  /// The text for a take without a path.
  fileprivate var absence: String { isUnfiled ? printable(row.name) + ": no file" : "stdout" }

  /// True if no file of the take was kept, and the take did not go to stdout.
  fileprivate var isUnfiled: Bool { path == nil && !row.isStream }

  /// The differences from a complete take whose file still exists unchanged.
  fileprivate var notes: [String] {
    if state == .whole, row.exit == 0, host == nil { return [] }
    return [failure, host.map { "on \(printable($0.name))" }, state.word].compactMap(\.self)
  }

  /// The reason, in a few words, why the take is not complete, or nil if it is complete.
  private var failure: String? {
    guard row.exit != 0 else { return nil }
    if let words = EndReason(rawValue: row.reason)?.failure { return words }
    return switch ExitCode(rawValue: row.exit) {
    case .incomplete: "incomplete"
    case .nothingCaptured: "nothing recorded"
    case .outputRefused: "has another name"
    default: "exit \(row.exit)"
    }
  }
}

extension ListedTake.State {
  /// The state of a file in lists of takes, or nil for a file that is unchanged.
  var word: String? {
    switch self {
    case .whole, .unfiled: nil
    case .changed: "changed since"
    case .missing: "gone"
    case .pruned: "deleted by --keep"
    case .trashed: "in the trash"
    case .replaced: "replaced"
    }
  }
}
