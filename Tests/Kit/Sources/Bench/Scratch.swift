import Foundation

/// An empty directory of a test's own, removed with the last reference to it.
public final class Scratch: Sendable {
  /// The directory.
  public let url: URL

  /// Makes it under the system's directory for temporary files.
  public init() throws {
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "kit-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A name in it.
  public func file(_ name: String) -> URL { url.appending(path: name) }

  /// The path of a name in it.
  public func path(_ name: String) -> String { file(name).path }

  /// Writes a text, and returns its place.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> URL {
    try Data(text.utf8).write(to: file(name))
    return file(name)
  }

  /// The text of a file in it.
  public func text(_ name: String) throws -> String {
    try String(contentsOf: file(name), encoding: .utf8)
  }

  /// Every name in it, hidden ones too.
  public var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
