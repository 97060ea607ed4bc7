internal import Glibc

/// The reason why the end of this process also ends all processes that it has started.
package enum ProcessLife: Hashable, Sendable {
  /// This process is the first process of a container. The container ends when this process ends.
  case first
  /// An init of this name waits only for this process. The init, and with it the container, ends
  /// when this process ends.
  case onlyChild(of: String)
  /// This process is the main process of a systemd service. When it ends, systemd ends all other
  /// processes of the service.
  case service

  /// The facts about a process, which a test can set.
  package struct Facts: Sendable {
    /// The number of this process.
    package var process: Int32
    /// The number of its parent, or of the process that adopted it after the parent had ended.
    package var parent: Int32
    /// The name of the first process.
    package var first: String
    /// The children of the first process, oldest first, or nil if the kernel does not report them.
    package var children: [Int32]?
    /// The value of SYSTEMD_EXEC_PID.
    package var executed: String?
  }

  /// Determines the reason, or returns nil if a process in the background continues after this
  /// process has ended.
  package init?(_ facts: Facts) {
    if facts.process == 1 {
      self = .first
    } else if facts.parent == 1, Self.endsWithChild(facts.first),
      (facts.children?.first ?? facts.process) == facts.process
    {
      self = .onlyChild(of: facts.first)
    } else if facts.executed == "\(facts.process)" {
      self = .service
    } else {
      return nil
    }
  }

  /// Returns true for an init that ends together with the program that it started. A shell or a
  /// real init would continue.
  private static func endsWithChild(_ name: String) -> Bool {
    [
      "docker-init", "podman-init", "dumb-init", "catatonit", "bwrap", "(sd-stubinit)",
      "sd-stubinit",
    ]
    .contains(name) || name == "tini" || name.begins(with: "tini-")
  }

  /// Returns the reason for this process, or nil if there is none.
  package static func current() -> ProcessLife? {
    let process = Environment.processIdentifier
    let parent = getppid()
    // The files are read only if they are needed.
    let isChild = parent == 1 && process != 1
    return ProcessLife(
      Facts(
        process: process, parent: parent, first: (isChild ? line("/proc/1/comm") : nil) ?? "",
        children: (isChild ? line("/proc/1/task/1/children") : nil)?.split(separator: " ")
          .compactMap { Int32($0) },
        executed: Environment.value(of: "SYSTEMD_EXEC_PID")))
  }

  private static func line(_ path: String) -> String? { try? HostIdentity.line(of: path) }
}
