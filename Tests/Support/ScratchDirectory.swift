import Foundation

/// An empty directory for one test. It is removed with its content when the test ends.
package struct ScratchDirectory: ~Copyable {
  /// The absolute path, free of symbolic links.
  package let path: String

  /// Creates the directory in the system's directory for temporary files.
  package init() throws {
    let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let url = root.appending(path: "recorder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The variables that make the directory the home of a program. The program then writes nothing
  /// elsewhere and reads no settings of the caller. The runtime directory is unchanged, because the
  /// sound server's socket may be in it.
  package var asHome: [String: String?] {
    [
      "HOME": path, "XDG_STATE_HOME": nil, "XDG_DATA_HOME": nil, "XDG_CONFIG_HOME": nil,
      "XDG_CACHE_HOME": nil, "RECORDER_PERMISSION": nil, "RECORDER_NO_PROMPT": nil, "TZ": "UTC",
      "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    ]
  }

  /// Returns the path of a name in the directory.
  package func path(_ name: String) -> String { path + "/" + name }

  /// Creates a file and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    return path(name)
  }

  /// Returns the bytes of a file in the directory.
  package func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }

  /// Returns every name in the directory, sorted.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
