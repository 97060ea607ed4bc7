import Foundation

/// An empty directory of a test's own, removed with all in it when the test ends.
package struct ScratchDirectory: ~Copyable {
  /// The absolute path, free of symbolic links.
  package let path: String

  /// Makes it under the system's directory for temporary files.
  package init() throws {
    let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let url = root.appending(path: "recorder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The variables that make it the home of a program, which then writes nothing elsewhere and knows
  /// no setting of the caller's; the runtime directory, where the sound server's socket may be, stays.
  package var asHome: [String: String?] {
    [
      "HOME": path, "XDG_STATE_HOME": nil, "XDG_DATA_HOME": nil, "XDG_CONFIG_HOME": nil,
      "XDG_CACHE_HOME": nil, "RECORDER_PERMISSION": nil, "RECORDER_NO_PROMPT": nil, "TZ": "UTC",
    ]
  }

  /// The path of a name in it.
  package func path(_ name: String) -> String { path + "/" + name }

  /// Makes a file and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    return path(name)
  }

  /// The bytes of a file in it.
  package func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }

  /// Every name in it, sorted.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }
}
