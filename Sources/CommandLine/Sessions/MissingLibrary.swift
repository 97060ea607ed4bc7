internal import Linux

/// A library that the dynamic linker did not find.
package struct MissingLibrary: Hashable {
  /// The Debian package that brings it.
  let package: String

  private static let packages = [
    "libasound.so.2": "libasound2", "libsndfile.so.1": "libsndfile1", "libsoxr.so.0": "libsoxr0",
    "libjansson.so.4": "libjansson4",
  ]

  /// Reads the dynamic linker's complaint; nil for any other line.
  package init?(in line: String?) {
    guard let line, line.holds("cannot open shared object file") else { return nil }
    guard let found = Self.packages.first(where: { line.holds($0.key) }) else { return nil }
    package = found.value
  }

  /// What to do about it.
  package var advice: String { "as root, type: apt-get install \(package)" }
}
