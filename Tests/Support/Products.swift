import Linux

/// The programs that the build made beside the tests; the command is that of the directory that
/// RECORDER_PROGRAMS names, if it is set.
package enum Products {
  /// The path of the command.
  package static var recorder: String {
    get throws { try releaseDirectory.map { $0 + "/recorder" } ?? path("recorder") }
  }

  /// The directory of a release build to test instead, or nil if there is none.
  package static var releaseDirectory: String? { Environment.value(of: "RECORDER_PROGRAMS") }

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
