import Foundation
import Linux
import Support

/// Somebody at a terminal, on a thread of their own: reads it, and types when they see something.
final class Typist: @unchecked Sendable {
  // Only the thread uses these until it is joined.
  private let controller: Descriptor
  private let act: (Typist, String) -> Bool
  private var seen: [UInt8] = []
  private let finished = DispatchSemaphore(value: 0)
  private var isOver = false
  private let lock = NSLock()

  /// Types each text once its cue is seen.
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

  /// Types the same again and again until it is joined.
  convenience init(
    on terminal: borrowing PseudoTerminal, repeating keys: String, every pause: Duration
  ) throws {
    try self.init(on: terminal) { typist, _ in
      typist.type(keys)
      // The pace at which the user types.
      KernelClock.sleep(pause)
      return false
    }
  }

  /// - Parameter act: gets what was seen so far; true where there is nothing more to do.
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

  /// Ends it and returns what was seen.
  @discardableResult
  func join() -> String {
    lock.withLock { isOver = true }
    finished.wait()
    return String(decoding: seen, as: UTF8.self)
  }
}
