import Linux

/// The programs that the build made beside the tests.
package enum Products {
  /// The command.
  package static var recorder: String { get throws { try path("recorder") } }
  /// The engine behind it.
  package static var engine: String { get throws { try path("recorder-engine") } }

  /// The path of a program of the package.
  package static func path(_ name: String) throws -> String {
    let tests = try ExecutablePath.current()
    let directory = tests.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(directory)/\(name)"
  }
}
