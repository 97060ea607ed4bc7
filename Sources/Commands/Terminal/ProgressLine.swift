package import Linux

/// The progress of a long operation in a line on stderr, and the signals that stop the operation.
package final class ProgressLine {
  private let words: String
  private let path: String
  private let writesFile: Bool
  private let signals: Signals
  private let isShown: Bool
  private let drawing = Drawing.current
  private var drawn: Duration
  private var hasLine = false

  /// The time between two updates, and before the first update. A short operation shows nothing.
  private static let pace = Duration.milliseconds(200)

  /// Creates the progress of an operation. It is drawn only on a terminal.
  ///
  /// - Parameters:
  ///   - words: the name of the operation, such as `Exporting`.
  ///   - path: the path of the file that is read, for the message after an interruption.
  ///   - writesFile: true if this message should also say that no file was written.
  package init(
    _ words: String, _ path: String, writesFile: Bool = false, _ console: Console
  ) throws {
    signals = try Signals([.interrupt, .terminate, .quit, .hangUp])
    self.words = words
    self.path = path
    self.writesFile = writesFile
    let stream = StandardStream.error.rawValue
    isShown = !console.isQuiet && Terminal.isTerminal(stream) && Terminal.isForeground(stream)
    drawn = KernelClock.monotonic.now
  }

  /// Draws the completed share, 0 to 1. Removes the line if the share is 1, because a program that
  /// reads the result may write to the same terminal. Throws if a signal has arrived.
  package func update(_ share: Double) throws {
    let now = KernelClock.monotonic.now
    if share >= 1 {
      end()
    } else if isShown, now - drawn >= Self.pace, StandardStream.error.hasRoom {
      drawn = now
      hasLine = true
      let text = "\(words): \(Int(share * 100)) %"
      try? StandardStream.error.write(drawing.line(text, width: columns(of: text)))
    }
    guard signals.next() != nil else { return }
    throw Failure(
      .interrupted,
      "interrupted while \(words.lowercased()) \(quoted(path))"
        + (writesFile ? "; no file was written" : ""))
  }

  /// Reads an answer to its end. Each space before the answer stands for 1 % of the work. Throws if
  /// a signal arrives.
  package func readAll(from source: borrowing Descriptor, upTo limit: Int) throws -> [UInt8] {
    try source.setNonBlocking(true)
    var poll = Poll(capacity: 2)
    poll.add(source.number)
    poll.add(signals.descriptor.number)
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      try poll.wait(upTo: Self.pace)
      var isOver = false
      while !isOver, let count = try source.readIfReady(into: &chunk) {
        isOver = count == 0
        text += chunk[..<count]
        if text.count > limit { throw SystemError("read", errno: .tooLarge) }
      }
      let done = text.prefix(99).prefix { $0 == UInt8(ascii: " ") }.count
      try update(Double(done) / 100)
      if isOver { return text }
    }
  }

  /// Removes the line.
  package func end() {
    guard hasLine else { return }
    hasLine = false
    try? StandardStream.error.write(drawing.noLine(width: columns(of: words) + 8))
  }

  deinit { end() }
}
