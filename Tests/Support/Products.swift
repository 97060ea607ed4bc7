import Linux

/// The programs that the build made next to the tests. If RECORDER_PROGRAMS is set, the command and
/// its engine are those of that directory.
package enum Products {
  /// The path of the command.
  package static var recorder: String { get throws { try shipped("recorder") } }
  /// The path of the engine.
  package static var engine: String { get throws { try shipped("recorder-engine") } }

  /// The directory of a release build to test instead, or nil if there is none.
  package static var releaseDirectory: String? { Environment.value(of: "RECORDER_PROGRAMS") }

  private static func shipped(_ name: String) throws -> String {
    try releaseDirectory.map { $0 + "/" + name } ?? path(name)
  }

  /// The directory of the build's programs.
  package static var directory: String {
    get throws {
      let tests = try ExecutablePath.current()
      return "/" + tests.split(separator: "/").dropLast().joined(separator: "/")
    }
  }

  /// Returns the path of a program of the package.
  package static func path(_ name: String) throws -> String { "\(try directory)/\(name)" }
}
