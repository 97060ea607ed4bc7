import Linux

/// The programs that the build made beside the tests; the command and its engine are those of the
/// directory that RECORDER_PROGRAMS names, where it does.
package enum Products {
  /// The command.
  package static var recorder: String { get throws { try shipped("recorder") } }
  /// The engine behind it.
  package static var engine: String { get throws { try shipped("recorder-engine") } }

  /// The directory of a release build to test instead.
  package static var releaseDirectory: String? { Environment.value(of: "RECORDER_PROGRAMS") }

  private static func shipped(_ name: String) throws -> String {
    try releaseDirectory.map { $0 + "/" + name } ?? path(name)
  }

  /// Where they lie.
  package static var directory: String {
    get throws {
      let tests = try ExecutablePath.current()
      return "/" + tests.split(separator: "/").dropLast().joined(separator: "/")
    }
  }

  /// The path of a program of the package.
  package static func path(_ name: String) throws -> String { "\(try directory)/\(name)" }
}
