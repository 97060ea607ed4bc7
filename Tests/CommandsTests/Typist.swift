import Foundation
import Linux
import Support

/// A simulated user at a terminal, on a thread of its own. It reads the terminal, and types when it
/// sees a certain text.
final class Typist: @unchecked Sendable {
  // Only the thread uses these until it is joined.
  private let controller: Descriptor
  private let act: (Typist, String) -> Bool
  private var seen: [UInt8] = []
  private let finished = DispatchSemaphore(value: 0)
  private var isOver = false
  private let lock = NSLock()

  /// Types each text once its cue has appeared.
  convenience init(on terminal: borrowing PseudoTerminal, _ cues: [String: String]) throws {
    var open = cues
    try self.init(on: terminal) { typist, text in
      for (cue, keys) in open where text.contains(cue) {
        typist.type(keys)
        open[cue] = nil
      }
      return open.isEmpty
    }
  }

  /// Types the same keys repeatedly until it is joined.
  convenience init(
    on terminal: borrowing PseudoTerminal, repeating keys: String, every pause: Duration
  ) throws {
    try self.init(on: terminal) { typist, _ in
      typist.type(keys)
      KernelClock.sleep(pause)
      return false
    }
  }

  /// - Parameter act: receives the text read so far; returns true if nothing remains to be done.
  convenience init(
    on terminal: borrowing PseudoTerminal, act: @escaping (String) -> Bool
  ) throws {
    try self.init(on: terminal) { _, text in act(text) }
  }

  private init(
    on terminal: borrowing PseudoTerminal, act: @escaping (Typist, String) -> Bool
  ) throws {
    controller = try terminal.controller.duplicate()
    self.act = act
    Foundation.Thread.detachNewThread { self.run() }
  }

  private func run() {
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while !lock.withLock({ isOver }) {
      if (try? controller.wait(upTo: .milliseconds(5))) == true,
        let count = try? controller.readIfReady(into: &chunk)
      {
        seen += chunk[..<count]
      }
      if act(self, String(decoding: seen, as: UTF8.self)) { break }
    }
    finished.signal()
  }

  private func type(_ keys: String) {
    let keys = Array(keys.utf8)
    _ = try? controller.writeIfReady(keys.span)
  }

  /// Ends the thread and returns the text that it read.
  @discardableResult
  func join() -> String {
    lock.withLock { isOver = true }
    finished.wait()
    return String(decoding: seen, as: UTF8.self)
  }
}
