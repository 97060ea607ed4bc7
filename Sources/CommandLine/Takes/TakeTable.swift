internal import Linux
internal import Store

/// The table of takes: a line each, with as many columns as the terminal has room for.
struct TakeTable {
  private let style: Style
  /// The width of the terminal; nil for lines of any length.
  private let width: Int?
  private let digits: Int
  /// The measured loudness of takes; nil where none is known, and there is no column.
  private let loudness: TakeLoudness?
  private var times = LocalTimes()

  /// Below this the directory of the path, the size, the marks and the seconds are left out.
  private static let narrow = 70
  /// Below this the time is left out.
  private static let narrowest = 36
  /// The columns of a name by which most are told apart.
  private static let leastName = 12

  /// - Parameter takes: all takes of the table, the oldest first.
  init(_ takes: [ListedTake], width: Int?, style: Style, loudness: TakeLoudness? = nil) {
    self.width = width
    self.style = style
    self.loudness = loudness
    digits = String(takes.lazy.compactMap(\.number).first ?? 0).utf8.count
  }

  /// The lines of some takes.
  mutating func lines(_ takes: ArraySlice<ListedTake>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(takes.count * 144)
    for take in takes { add(take, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func add(_ take: ListedTake, to text: inout [UInt8]) {
    let isNarrow = (width ?? .max) < Self.narrow
    let start = text.count
    let row = take.row
    text.append(take.number.map(String.init) ?? "-", to: digits)
    text.append("  ")
    times.append(row.began, Self.moment(width ?? .max), to: &text)
    let length = !isNarrow ? 13 : (width ?? 0) < Self.narrowest ? 7 : 9
    Self.append(row.duration, cutting: isNarrow ? 4 : 0, to: length, &text)
    if !isNarrow { addFigures(take, to: &text) }
    text.append("  ")
    let room = width.map { $0 - (text.count - start) } ?? .max
    let notes = notes(of: take, room)
    let rest = room - columns(of: notes)
    let file = isNarrow ? name(of: take, rest) : path(of: take, rest)
    text.append(file)
    let title = take.title.isEmpty ? "" : "  " + quoted(take.title)
    let isBeside = title.isEmpty || columns(of: file) + columns(of: title) <= rest
    if isBeside { text.append(title) }
    if !notes.isEmpty { text.append(style.warning(notes)) }
    text.append("\n")
    if !isBeside { text.append(indented(title)) }
  }

  /// The line of a title that has no room beside the name.
  private func indented(_ title: String) -> String {
    let margin = String(repeating: " ", count: digits)
    return margin + shortened(title, to: (width ?? .max) - digits) + "\n"
  }

  /// The notes in brackets, in few words where all of them leave the name too little room.
  private func notes(of take: ListedTake, _ room: Int) -> String {
    let notes = Self.bracketed(take.notes())
    // Most takes have none.
    if notes.isEmpty { return notes }
    let rest = room - columns(of: notes)
    let isWide = rest >= Self.leastName || rest >= columns(of: place(of: take))
    return isWide ? notes : Self.bracketed(take.notes(isBrief: true))
  }

  private static func bracketed(_ notes: [String]) -> String {
    notes.isEmpty ? "" : "  (\(notes.joined(separator: "; ")))"
  }

  /// Adds the size, the marks, and the loudness where one is known.
  private func addFigures(_ take: ListedTake, to text: inout [UInt8]) {
    text.append(ByteCount(take.row.bytes).description, to: 12)
    text.append("  ")
    let marks = take.row.marks
    text.append(marks == 0 ? "" : counted(marks, "mark"), filledTo: 8)
    guard let loudness else { return }
    text.append(loudness[take].map { rounded($0, places: 1) + " LUFS" } ?? "", to: 12)
  }

  /// Appends the text of `clock`, mostly without its general function for numbers.
  private static func append(
    _ duration: Duration, cutting cut: Int, to width: Int, _ text: inout [UInt8]
  ) {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, seconds < 600, cut == 0 else {
      return text.append(String(clock(duration).dropLast(cut)), to: width)
    }
    text.append("             ".prefix(max(0, width - 8)))
    text.append(number: seconds / 60, digits: 1)
    text.append(UInt8(ascii: ":"))
    text.append(number: seconds % 60, digits: 2)
    text.append(UInt8(ascii: "."))
    text.append(number: attoseconds / 1_000_000_000_000_000, digits: 3)
  }

  /// The characters of `2026-03-01 14:03:05` for a terminal; fewer the narrower it is.
  private static func moment(_ width: Int) -> Range<Int> {
    switch width {
    case ..<narrowest: 0..<0
    case ..<50: 5..<16
    case ..<narrow: 0..<16
    default: 0..<19
    }
  }

  private func place(of take: ListedTake) -> String {
    take.path.map(printable) ?? (take.row.isStream ? "stdout" : "no file")
  }

  /// The path, without so many of its first directories that it fits into the room.
  private func path(of take: ListedTake, _ room: Int) -> String {
    let whole = place(of: take)
    guard let path = take.path, columns(of: whole) > room else { return whole }
    var names = path.pathNames[...]
    while names.count > 1 {
      names.removeFirst()
      let rest = "…/" + printable(names.joined(separator: "/"))
      if columns(of: rest) <= room { return rest }
    }
    return name(of: take, room)
  }

  /// The name alone, shortened to the room.
  private func name(of take: ListedTake, _ room: Int) -> String {
    guard let path = take.path else { return place(of: take) }
    return shortened(printable(path.pathParts.name), to: max(5, room))
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: some StringProtocol) { append(contentsOf: text.utf8) }

  /// Appends an ASCII text, with spaces before it up to a width.
  fileprivate mutating func append(_ text: String, to width: Int) {
    for _ in 0..<Swift.max(0, width - text.utf8.count) { append(UInt8(ascii: " ")) }
    append(contentsOf: text.utf8)
  }

  /// Appends an ASCII text, with spaces behind it up to a width.
  fileprivate mutating func append(_ text: String, filledTo width: Int) {
    append(contentsOf: text.utf8)
    for _ in 0..<Swift.max(0, width - text.utf8.count) { append(UInt8(ascii: " ")) }
  }

  /// Appends the last decimal digits of a number that is not negative.
  fileprivate mutating func append(number: Int64, digits: Int) {
    var unit: Int64 = 1
    for _ in 1..<digits { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") + UInt8(number / unit % 10))
      unit /= 10
    }
  }
}

extension ListedTake {
  /// The deviations from a complete take whose file is still in place.
  fileprivate func notes(isBrief: Bool = false) -> [String] {
    if state == .whole, row.exit == 0, host == nil { return [] }
    var notes: [String] = []
    if row.exit != 0 {
      notes.append((isBrief ? "" : printable(row.reason) + ", ") + "exit \(row.exit)")
    }
    if let host { notes.append("on \(printable(host.name))") }
    switch state {
    case .whole, .unfiled: break
    case .changed: notes.append(isBrief ? "changed" : "changed since")
    case .missing: notes.append(isBrief ? "gone" : "not there any more")
    case .trashed: notes.append(isBrief ? "trash" : "in the trash")
    case .replaced: notes.append(isBrief ? "replaced" : "replaced since")
    }
    return notes
  }
}

/// Moments in local time, for many of them: the C library is asked about each day once, and about each
/// quarter of an hour, within which no zone changes its offset, on days that begin and end with
/// different ones.
struct LocalTimes {
  private var days: [Int64: Int64?] = [:]
  private var last: (day: Int64, offset: Int64?) = (-1, nil)

  /// The same text as that of `localTime(of:)`.
  mutating func text(of moment: Duration) -> String {
    var bytes: [UInt8] = []
    append(moment, 0..<19, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends some characters of the text of `localTime(of:)`.
  mutating func append(_ moment: Duration, _ characters: Range<Int>, to text: inout [UInt8]) {
    guard !characters.isEmpty else { return }
    let seconds = moment.components.seconds
    let local = seconds + (seconds < 0 ? 0 : offset(at: seconds))
    guard seconds >= 0, (0..<253_402_300_800).contains(local) else {
      return text.append(
        localTime(of: moment).dropFirst(characters.lowerBound).prefix(characters.count))
    }
    let (day, rest) = local.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, date) = Self.date(day)
    let start = text.count
    text.append(number: year, digits: 4)
    text.append(UInt8(ascii: "-"))
    text.append(number: month, digits: 2)
    text.append(UInt8(ascii: "-"))
    text.append(number: date, digits: 2)
    text.append(UInt8(ascii: " "))
    text.append(number: rest / 3_600, digits: 2)
    text.append(UInt8(ascii: ":"))
    text.append(number: rest / 60 % 60, digits: 2)
    text.append(UInt8(ascii: ":"))
    text.append(number: rest % 60, digits: 2)
    guard characters.count < 19 else { return }
    text.removeLast(19 - characters.upperBound)
    text.removeSubrange(start..<start + characters.lowerBound)
  }

  /// The seconds by which the local time is ahead.
  private mutating func offset(at seconds: Int64) -> Int64 {
    let day = seconds / 86_400
    if day != last.day {
      let known = days[day] ?? Self.offset(ofDay: day)
      days[day] = .some(known)
      last = (day, known)
    }
    return last.offset ?? Self.offset(seconds / 900 * 900)
  }

  /// The offset of a whole day; nil where the zone changes it on that day.
  private static func offset(ofDay day: Int64) -> Int64? {
    let offset = offset(day * 86_400)
    return offset == self.offset((day + 1) * 86_400) ? offset : nil
  }

  private static func offset(_ seconds: Int64) -> Int64 {
    WallTime(sinceEpoch: .seconds(seconds)).localOffset.components.seconds
  }

  /// The date of a day after 1970, in the calendar of Gregory; years begin in March here, so that the
  /// day that some years have more is the last.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let inEra = shifted % 146_097
    let year = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * year + year / 4 - year / 100)
    let month = (5 * inYear + 2) / 153
    let day = inYear - (153 * month + 2) / 5 + 1
    let civil = month < 10 ? month + 3 : month - 9
    return (year + era * 400 + (civil <= 2 ? 1 : 0), civil, day)
  }
}
