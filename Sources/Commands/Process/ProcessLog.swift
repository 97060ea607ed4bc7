package import Linux

/// The log file with the stderr of a process that runs in the background.
package struct ProcessLog {
  let path: String

  /// Creates the log at `path`, without opening the file.
  package init(path: String) { self.path = path }

  /// The largest size in bytes; a larger log is emptied.
  private static let largest: Int64 = 1 << 20

  /// Opens the log for appending.
  package func open() throws(SystemError) -> Descriptor {
    let log = try Descriptor(
      opening: path, [.writeOnly, .create, .append, .noFollow, .nonBlocking])
    if try log.status().size > Self.largest { try log.truncate(to: 0) }
    return log
  }

  /// Returns the failure of a process that ended before it was ready, with the last line of its
  /// log.
  ///
  /// - Parameter subject: the subject of the message, such as `the recording`.
  func failure(of subject: String) -> Failure {
    if (try? FileSystem.freeBytes(at: path)) == 0 {
      // The disk is full, so the process could not write the reason.
      return Failure(
        "\(subject) could not start", SystemError("write", path, errno: .noSpace))
    }
    let last = lastLine
    let why = last.map { ": " + printable($0) } ?? ""
    return Failure(
      .failed, "\(subject) could not start" + why,
      advice: MissingLibrary(in: last)?.advice ?? advice)
  }

  /// The advice to read the log.
  var advice: String { "see the log \(quoted(path))" }

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
    "libjansson.so.4": "libjansson4", "libebur128.so.1": "libebur128-1",
    "libz.so.1": "zlib1g", "libpipewire-0.3.so.0": "libpipewire-0.3-0",
    "libspa-aec-webrtc.so": "libspa-0.2-modules",
  ]

  /// Reads the message of the dynamic linker. Returns nil for any other line, and if the package of
  /// the library is unknown.
  package init?(in line: String?) {
    guard let line, line.holds("cannot open shared object file") else { return nil }
    guard let found = Self.packages.first(where: { line.holds($0.key) }) else { return nil }
    package = found.value
  }

  /// The library whose file is called `file`, or nil if its package is unknown.
  init?(named file: String) {
    guard let package = Self.packages[file] else { return nil }
    self.package = package
  }

  /// The advice with the command that installs the library.
  package var advice: String { "as root, type: apt-get install \(package)" }
}
