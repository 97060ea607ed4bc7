internal import Linux

/// The identity of a process, for the audit.
package struct ProcessFacts: Hashable, Sendable {
  /// The effective user of the process.
  package let user: UInt32
  /// The process ID.
  package let id: Int32
  /// The process ID of the parent; nil if it is unknown.
  package let parent: Int32?
  /// The path of the program that the process runs; nil if it is unknown.
  package let executable: String?
  /// The controlling terminal, such as `pts/1`; nil if there is none.
  package let terminal: String?

  /// The facts as given; `current()` reads those of this process.
  package init(
    user: UInt32, id: Int32, parent: Int32?, executable: String?, terminal: String?
  ) {
    self.user = user
    self.id = id
    self.parent = parent
    self.executable = executable
    self.terminal = terminal
  }

  /// Reads the facts of this process from /proc; those that cannot be read are nil.
  package static func current() -> ProcessFacts {
    let fields = (try? Descriptor(opening: "/proc/self/stat").readAll(upTo: 4_096)).map(fields)
    return ProcessFacts(
      user: Environment.effectiveUser, id: Environment.processIdentifier,
      parent: fields.flatMap { $0.count > 1 ? Int32($0[1]) : nil },
      executable: try? ExecutablePath.current(),
      terminal: fields.flatMap { $0.count > 4 ? Int($0[4]) : nil }.flatMap(terminal))
  }

  /// The fields after the name, which may itself hold spaces and parentheses: state, parent, group,
  /// session, terminal.
  private static func fields(_ stat: [UInt8]) -> [Substring] {
    let text = String(decoding: stat, as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  /// The name of a controlling terminal from its device number, as proc(5) packs it.
  static func terminal(_ device: Int) -> String? {
    let (major, minor) = ((device >> 8) & 0xFFF, (device & 0xFF) | ((device >> 12) & 0xFFF00))
    switch major {
    case 0: return nil
    case 136...143: return "pts/\((major - 136) * 256 + minor)"
    case 4: return "tty\(minor)"
    default: return "\(major):\(minor)"
    }
  }
}
