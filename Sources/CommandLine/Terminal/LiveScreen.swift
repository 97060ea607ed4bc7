package import Linux

/// The terminal of a command that shows a view in place below what was written before, and reads keys.
///
/// The cursor rests at the beginning of the view: a window that becomes narrower wraps the lines
/// below it, and what is drawn next replaces all of them.
package final class LiveScreen {
  private var keyboard: Keyboard?
  private let drawing: Drawing
  private let style: Style
  /// True where views are shown.
  package let isShown: Bool
  private var isDirty = false
  private var drawnWidth = 0
  /// The keys that are shown below a view; nil without any.
  private var hint: KeyHint?

  /// Shows nothing where stderr is no terminal, and reads no keys where stdin is none.
  package init(isQuiet: Bool, hint: KeyHint? = nil) {
    self.hint = hint
    isShown = Terminal.isTerminal(StandardStream.error.rawValue) && !isQuiet
    drawing = .current
    style = .wanted(on: .error)
    keyboard = .usable()
  }

  /// True while views are shown: a job in the background leaves the terminal to the one in front.
  package var isInFront: Bool {
    isShown && Terminal.isForeground(StandardStream.error.rawValue)
  }

  /// Readable when a key was pressed.
  package var number: Int32 { keyboard?.number ?? -1 }

  /// The keys pressed since the last call.
  package func keys() -> [Key] {
    let typed = keyboard?.keys() ?? []
    return hint?.take(typed) ?? typed
  }

  /// Draws the view in place of the last one.
  ///
  /// - Parameter inLine: true for one line in any window, besides the keys.
  package func draw(_ view: LiveView, inLine: Bool = false) {
    let hint = hint
    draw { width, rows, style in
      let lines =
        inLine || rows == 1
        ? [view.line(width: width, named: inLine, style)]
        : view.lines(width: width, rows: rows, style)
      return hint?.below(lines, width: width, rows: rows) ?? lines
    }
  }

  /// Draws lines that `lines` makes for a number of columns and rows.
  package func draw(_ lines: (_ width: Int, _ rows: Int, _ style: Style) -> [String]) {
    // A stopped terminal (Ctrl-S) must not keep the session from signals and revocations.
    guard isInFront, StandardStream.error.hasRoom else { return }
    if keyboard == nil { keyboard = .usable() }
    isDirty = true
    // One column less: after the last one, some terminals continue in the next row.
    let size = Terminal.size(of: StandardStream.error.rawValue)
    let width = max(1, (size?.columns ?? textWidth) - 1)
    // A dumb terminal has the last line alone.
    let rows = drawing.isDumb ? 1 : size.map { $0.rows > 0 ? $0.rows : .max } ?? .max
    let shown = lines(width, rows, drawing.isDumb ? .plain : style)
      .map { PrintableText.escape(page: $0, keeping: style.marks) }
    // A window of another width has wrapped lines, which are not to be joined to the new ones.
    let isResized = drawnWidth > 0 && drawnWidth != width
    let text =
      drawing.isDumb
      ? drawing.line(shown.first ?? "", width: max(width, drawnWidth))
      : (isResized ? drawing.noBlock : "") + drawing.block(shown)
    drawnWidth = width
    try? StandardStream.error.write(text)
  }

  /// Stops or ends the process as a signal does by default, with the terminal in its own mode; keys
  /// are read again where the process continues.
  package func obey(_ signal: Signal) {
    close()
    signal.obey()
    keyboard = .usable()
  }

  /// Removes the view and gives the keys back.
  package func close() {
    clear()
    keyboard = nil
  }

  /// Removes the view, so that something else can be written.
  package func clear() {
    guard isDirty, StandardStream.error.hasRoom else { return }
    isDirty = false
    try? StandardStream.error.write(
      drawing.isDumb ? drawing.noLine(width: drawnWidth) : drawing.noBlock)
  }

  deinit { clear() }
}
