internal import Linux

/// The log of a process that runs in the background, which has its stderr.
struct EngineLog {
  let path: String

  /// In bytes; a log larger than this is truncated.
  private static let largest: Int64 = 1 << 20

  /// Opens the log to append to it.
  func open() throws(SystemError) -> Descriptor {
    let log = try Descriptor(
      opening: path, [.writeOnly, .create, .append, .noFollow, .nonBlocking])
    if try log.status().size > Self.largest { try log.truncate(to: 0) }
    return log
  }

  /// The failure of a process that ended before it was ready, with its last words.
  ///
  /// - Parameter subject: the subject of the message, such as `the recording`.
  func failure(of subject: String) -> Failure {
    let last = lastLine
    let why = last.map { ": " + printable($0) } ?? ""
    return Failure(
      .failed,
      Message(
        "\(subject) ended before it began" + why,
        advice: MissingLibrary(in: last)?.advice ?? advice))
  }

  /// The advice to read the log.
  var advice: String { "what it said before is in \(quoted(path))" }

  private var lastLine: String? {
    guard let bytes = try? Descriptor(opening: path).readAll(upTo: 2 * Int(Self.largest)) else {
      return nil
    }
    return bytes.split(separator: UInt8(ascii: "\n")).last.map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

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
