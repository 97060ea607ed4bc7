internal import Audio

/// A recording, a meter or a sound as lines of a terminal that are updated repeatedly.
///
/// The lines depend only on the facts and the size. The bars are in ASCII, so that any terminal can
/// show them.
package struct LiveView: Hashable, Sendable {
  /// A level or a position as a bar.
  package struct Bar: Hashable, Sendable {
    /// The name before the bar.
    var label: String
    /// The filled share of the bar, 0 to 1.
    var share: Double
    /// The position of the held peak, 0 to 1, or nil if there is none.
    var held: Double?
    /// The text after the bar. Its width changes as little as possible.
    var reading: String
    /// Additional text after the reading in a wide terminal.
    var detail = ""
    /// Whether the bar is a level and has the colors of a meter.
    var isLevel: Bool
  }

  /// A fact in a few words.
  package struct Fact: Hashable, Sendable {
    var text: String
    var isAlarm = false
  }

  /// The name of the recording or the sound.
  var title: String
  /// The state in at most five letters.
  var state: String
  /// The elapsed time, or the position.
  var time: String
  /// The text after the time if there is room: the length of a sound.
  var length = ""
  /// The file or the device; empty if there is none.
  var subject: String
  var bars: [Bar]
  /// The facts, the most important first.
  var facts: [Fact]
  /// Facts that do not change. They are shown only in a wide terminal, after the other facts.
  var settings: [String] = []

  /// The fewest columns for a view of several lines.
  private static let narrow = 36
  /// The fewest rows for a view of several lines.
  private static let low = 4
  /// The fewest columns for bars with details and a scale.
  private static let wide = 60

  /// Returns at most `rows` lines of at most `width` columns.
  package func lines(width: Int, rows: Int, _ style: Style) -> [String] {
    guard width >= Self.narrow, rows >= Self.low else { return [line(width: width, style)] }
    let bars = self.bars.count + 2 <= rows ? self.bars : [merged]
    var lines = [heading(width, style)] + drawn(bars, width, style)
    let isScaled = width >= Self.wide && bars.contains(where: \.isLevel)
    let facts = factLines(width, style)
    if isScaled, lines.count + 1 + facts.count <= rows { lines.append(scale(bars, width)) }
    return lines + facts.prefix(rows - lines.count)
  }

  private func heading(_ width: Int, _ style: Style) -> String {
    let name = shortened(title, to: max(8, width / 3))
    let times = time + length
    let head = "\(name)  \(state)  \(times)"
    let room = width - columns(of: head) - 2
    let shown =
      subject.isEmpty || room < 8 ? "" : "  " + shortened(subject, to: room, cutting: .front)
    return style.heading(name)
      + shortened("  \(state)  \(times)\(shown)", to: width - columns(of: name))
  }

  private func labelWidth(_ bars: [Bar]) -> Int {
    min(12, bars.map { columns(of: $0.label) }.max() ?? 0)
  }

  private func tail(_ bar: Bar, _ width: Int) -> String {
    width >= Self.wide && !bar.detail.isEmpty ? "\(bar.reading), \(bar.detail)" : bar.reading
  }

  /// Returns the number of columns between the brackets of each bar.
  private func room(_ bars: [Bar], _ width: Int) -> Int {
    let label = labelWidth(bars)
    let tail = bars.map { columns(of: self.tail($0, width)) }.max() ?? 0
    return max(4, width - label - (label > 0 ? 1 : 0) - tail - 3)
  }

  private func drawn(_ bars: [Bar], _ width: Int, _ style: Style) -> [String] {
    let (label, room) = (labelWidth(bars), room(bars, width))
    return bars.map { bar in
      let name = label > 0 ? padded(shortened(bar.label, to: label), to: label) + " " : ""
      return name + "[" + bar.cells(room, style) + "] " + tail(bar, width)
    }
  }

  /// The bar of the loudest channel or track, for a view without room for all bars.
  private var merged: Bar {
    var bar =
      bars.max { ($0.share, $0.held ?? 0) < ($1.share, $1.held ?? 0) }
      ?? Bar(label: "", share: 0, reading: "", isLevel: false)
    let isNumbered = bars.first.map { Int($0.label) != nil } ?? false
    bar.label = isNumbered ? "1-\(bars.count)" : "all"
    return bar
  }

  /// Returns the scale of the bars: a line with the levels from -60 to 0.
  private func scale(_ bars: [Bar], _ width: Int) -> String {
    let (label, room) = (labelWidth(bars), room(bars, width))
    let start = label + (label > 0 ? 2 : 1)
    var line = [Character](repeating: " ", count: width)
    for level in stride(from: -60, through: 0, by: 10) {
      let text = "\(level)"
      // The text -60 begins in the column of its level. Every other text ends in the column of its
      // level.
      let column = start + (level + 60) * (room - 1) / 60
      let first = level == -60 ? column : column - text.count + 1
      for (offset, character) in text.enumerated() where line.indices.contains(first + offset) {
        line[first + offset] = character
      }
    }
    return String(line[..<((line.lastIndex { $0 != " " } ?? -1) + 1)])
  }

  private func factLines(_ width: Int, _ style: Style) -> [String] {
    var lines: [(text: String, columns: Int)] = []
    let settings = width >= Self.wide ? self.settings.map { Fact(text: $0) } : []
    for fact in facts + settings {
      let text = shortened(fact.text, to: width)
      let shown = fact.isAlarm ? style.bad(text) : text
      if let last = lines.last, last.columns + 2 + columns(of: text) <= width {
        lines[lines.count - 1] = (last.text + "  " + shown, last.columns + 2 + columns(of: text))
      } else {
        lines.append((shown, columns(of: text)))
      }
    }
    return lines.map(\.text)
  }
}

extension LiveView {
  /// Returns the whole state as one line: as many facts as fit, and a bar in the remaining columns.
  ///
  /// - Parameter isNamed: whether the line begins with the title, because it is one of several
  ///   lines.
  package func line(width: Int, named isNamed: Bool = false, _ style: Style) -> String {
    let isPosition = bars.first?.isLevel == false
    let bar = bars.count > 1 && !isPosition ? merged : bars.first
    // The facts are in the order of their importance. Alarms come before the bar.
    let alarms = facts.filter(\.isAlarm).map(\.text)
    let others = facts.filter { !$0.isAlarm }.map(\.text)
    var head = state.isEmpty ? "" : state + " "
    if columns(of: head + time) > width { head = "" }
    head += time
    let name = shortened(title, to: max(5, width - columns(of: head) - 1))
    if isNamed, columns(of: name) + 1 + columns(of: head) <= width { head = name + " " + head }
    guard columns(of: head) <= width else { return shortened(time, to: max(0, width)) }
    // The columns for the volume of a sound. In a short line, the volume replaces the length and
    // the bar: the time already shows the position, but nothing else shows the volume.
    let volume = isPosition ? facts.first.map { columns(of: $0.text) + 2 } ?? 0 : 0
    if columns(of: head + length) + volume <= width { head += length }
    var tail = ""
    func add(_ text: String, keeping room: Int = 0) {
      guard !text.isEmpty, columns(of: head + tail) + columns(of: text) + 2 + room <= width else {
        return
      }
      tail += (tail.isEmpty ? " " : "  ") + text
    }
    add(bar?.reading ?? "", keeping: volume)
    for alarm in alarms { add(alarm) }
    let wish = bar == nil ? 0 : min(24, max(0, width / 4)) + 3
    add(bar?.detail ?? "", keeping: wish)
    for (index, fact) in others.enumerated() {
      add(fact, keeping: isPosition && index == 0 ? 0 : wish)
    }
    let room = width - columns(of: head + tail) - 3
    guard let bar, room >= 8 else { return head + tail }
    return head + " [" + bar.cells(room, style) + "]" + tail
  }
}

extension LiveView.Bar {
  /// Returns the cells of the bar: `#` up to the share, `|` at the held peak.
  fileprivate func cells(_ width: Int, _ style: Style) -> String {
    let filled = Int((min(1, max(0, share)) * Double(width)).rounded())
    let mark = held.map { Int((min(1, max(0, $0)) * Double(width)).rounded()) - 1 }
    let cells = (0..<width).map { column -> Character in
      column == mark && column >= filled ? "|" : column < filled ? "#" : " "
    }
    guard isLevel else { return String(cells) }
    // Green up to -18 dBFS, yellow up to -6, red above.
    let (yellow, red) = (width * 42 / 60, width * 54 / 60)
    return style.good(String(cells[..<yellow])) + style.warning(String(cells[yellow..<red]))
      + style.bad(String(cells[red...]))
  }
}

/// Several views, one below the other, as many as fit into the terminal.
package struct LivePage: Hashable, Sendable {
  /// The recordings or sounds, in order.
  var views: [LiveView]
  /// Additional lines below the views, without line ends and styles. A line that is too wide is
  /// wrapped.
  var notes: [String] = []
  /// The line of a page that has no views and no notes.
  var nothing: String

  /// Returns at most `rows` lines of at most `width` columns.
  ///
  /// If not all views fit in full, each view has one line.
  package func lines(width: Int, rows: Int, _ style: Style) -> [String] {
    let notes = self.notes.flatMap { fitted($0, width: width).split(separator: "\n") }
      .map { shortened(String($0), to: width) }
    guard !views.isEmpty || !notes.isEmpty else { return [shortened(nothing, to: width)] }
    let whole = views.map { $0.lines(width: width, rows: .max, style) }
    let isParted = whole.contains { $0.count > 1 }
    var blocks = whole
    if !notes.isEmpty { blocks.append(notes) }
    let parted = Array(blocks.joined(separator: isParted ? [""] : []))
    // In a narrow window, each view is one line. If there are several views, each line needs a
    // name.
    let isNarrow = views.count > 1 && !isParted
    if parted.count <= rows, !isNarrow { return parted }
    if views.count == 1, notes.isEmpty { return views[0].lines(width: width, rows: rows, style) }
    let single = views.map { $0.line(width: width, named: views.count > 1, style) } + notes
    guard single.count > rows, rows > 0 else { return single }
    let shown = single.prefix(rows - 1)
    let hidden = counted(single.count - shown.count, "more line")
    return shown + [shortened("… and \(hidden)", to: width)]
  }
}
