import Linux

/// The programs next to the tests in the build directory. If RECORDER_PROGRAMS is set, the command
/// comes from that directory.
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
