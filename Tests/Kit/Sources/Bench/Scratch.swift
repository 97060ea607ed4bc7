import Foundation

/// An empty directory for one test, removed with the last reference to it.
public final class Scratch: Sendable {
  /// The directory.
  public let url: URL

  /// Creates the directory in the system's directory for temporary files.
  public init() throws {
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "kit-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the URL of a file in the directory.
  public func file(_ name: String) -> URL { url.appending(path: name) }

  /// Returns the path of a file in the directory.
  public func path(_ name: String) -> String { file(name).path }

  /// Writes a text to a file, and returns its URL.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> URL {
    try Data(text.utf8).write(to: file(name))
    return file(name)
  }

  /// Returns the text of a file in the directory.
  public func text(_ name: String) throws -> String {
    try String(contentsOf: file(name), encoding: .utf8)
  }

  /// The names in the directory, including hidden ones.
  public var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
