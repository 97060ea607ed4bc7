package import Linux

/// The terminal of a command that updates a view below the previous output, and reads keys.
///
/// The cursor stays at the beginning of the view. If the window becomes narrower, the terminal
/// wraps only the lines of the view, and the next view replaces all of these lines.
package final class LiveScreen {
  private var keyboard: Keyboard?
  private let drawing: Drawing
  private let style: Style
  /// Whether views are shown.
  package let isShown: Bool
  private var isDirty = false
  private var drawnWidth = 0
  /// The keys that are shown below a view, or nil if there are none.
  private var hint: KeyHint?

  /// Creates the screen. It shows nothing if stderr is not a terminal, and reads no keys if stdin
  /// is not a terminal.
  package init(isQuiet: Bool, hint: KeyHint? = nil) {
    self.hint = hint
    isShown = Terminal.isTerminal(StandardStream.error.rawValue) && !isQuiet
    drawing = .current
    style = .wanted(on: .error)
    keyboard = .usable()
  }

  /// Whether views are shown now. A background job leaves the terminal to the foreground job.
  package var isInFront: Bool {
    isShown && Terminal.isForeground(StandardStream.error.rawValue)
  }

  /// The descriptor that is readable after a key was pressed; -1 if no keys are read.
  package var number: Int32 { keyboard?.number ?? -1 }

  /// Returns the keys pressed since the last call.
  package func keys() -> [Key] {
    let typed = keyboard?.keys() ?? []
    return hint?.take(typed) ?? typed
  }

  /// Draws the view over the previous one.
  ///
  /// - Parameter inLine: whether the view is only one line, even in a large window. The help for
  ///   the keys is below this line.
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

  /// Draws the lines that `lines` returns for a number of columns and rows.
  package func draw(_ lines: (_ width: Int, _ rows: Int, _ style: Style) -> [String]) {
    // If the terminal is stopped (Ctrl-S), nothing is drawn. A write would block, and the session
    // could not handle signals and revocations.
    guard isInFront, StandardStream.error.hasRoom else { return }
    if keyboard == nil { keyboard = .usable() }
    isDirty = true
    // The last column is not used, because some terminals continue in the next row after it.
    let size = Terminal.size(of: StandardStream.error.rawValue)
    let width = max(1, (size?.columns ?? textWidth) - 1)
    // On a dumb terminal, only one line can be replaced.
    let rows = drawing.isDumb ? 1 : size.map { $0.rows > 0 ? $0.rows : .max } ?? .max
    let shown = lines(width, rows, drawing.isDumb ? .plain : style)
      .map { PrintableText.escape(page: $0, keeping: style.marks) }
    // If the width has changed, the window has wrapped the old lines. They are removed first, so
    // that they do not mix with the new ones.
    let isResized = drawnWidth > 0 && drawnWidth != width
    let text =
      drawing.isDumb
      ? drawing.line(shown.first ?? "", width: max(width, drawnWidth))
      : (isResized ? drawing.noBlock : "") + drawing.block(shown)
    drawnWidth = width
    try? StandardStream.error.write(text)
  }

  /// Stops or ends the process as the signal does by default, after restoring the mode of the
  /// terminal. If the process continues, keys are read again.
  package func obey(_ signal: Signal) {
    close()
    signal.obey()
    keyboard = .usable()
  }

  /// Removes the view and stops reading keys.
  package func close() {
    clear()
    keyboard = nil
  }

  /// Removes the view, so that other output can follow.
  package func clear() {
    guard isDirty, StandardStream.error.hasRoom else { return }
    isDirty = false
    try? StandardStream.error.write(
      drawing.isDumb ? drawing.noLine(width: drawnWidth) : drawing.noBlock)
  }

  deinit { clear() }
}
