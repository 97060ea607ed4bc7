import Linux

/// The programs that the build made beside the tests.
package enum Products {
  /// The command.
  package static var recorder: String { get throws { try path("recorder") } }
  /// The engine behind it.
  package static var engine: String { get throws { try path("recorder-engine") } }

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
