internal import Linux

/// A library that the dynamic linker did not find.
package struct MissingLibrary: Hashable {
  /// The Debian package with the library.
  let package: String

  private static let packages = [
    "libasound.so.2": "libasound2", "libsndfile.so.1": "libsndfile1", "libsoxr.so.0": "libsoxr0",
    "libjansson.so.4": "libjansson4",
  ]

  /// Reads the dynamic linker's message; nil for any other line.
  package init?(in line: String?) {
    guard let line, line.holds("cannot open shared object file") else { return nil }
    guard let found = Self.packages.first(where: { line.holds($0.key) }) else { return nil }
    package = found.value
  }

  /// The advice with the command that installs the library.
  package var advice: String { "as root, type: apt-get install \(package)" }
}
