package import Linux

/// Finds `recorder-engine` and runs it in place of this program.
enum EngineLauncher {
  static let advice =
    "install recorder again, or in its sources run \"swift build\" for both programs"

  /// Replaces this program by the engine with the same arguments: no second process and no pipe.
  static func become(toCarryOut command: Command) throws(Failure) -> Never {
    let places = places(besides: try? ExecutablePath.current())
    var refusal: SystemError?
    for place in places {
      let error = Program.become(place)
      if error.errno != .noSuchFile { refusal = refusal ?? error }
    }
    throw Failure(.failed, message(command, places: places, refusal: refusal))
  }

  /// The path of the engine; throws if it is in none of its places.
  static func path() throws(Failure) -> String {
    let places = places(besides: try? ExecutablePath.current())
    if let path = places.first(where: { (try? FileStatus(of: $0)) != nil }) { return path }
    throw Failure(.failed, missing("recording", places))
  }

  /// The paths to try: beside the command as in a build, below its prefix, and the default
  /// installations.
  static func places(besides program: String?) -> [String] {
    var places = [
      "/usr/local/libexec/recorder/recorder-engine", "/usr/libexec/recorder/recorder-engine",
    ]
    guard let program, program.utf8.contains(UInt8(ascii: "/")) else { return places }
    let directory = program.pathParts.directory
    let below = directory + "../libexec/recorder/recorder-engine"
    places.insert(contentsOf: [directory + "recorder-engine", below], at: 0)
    return places
  }

  private static func message(
    _ command: Command, places: [String], refusal: SystemError?
  ) -> Message {
    if let refusal {
      return Message(
        "cannot run", on: refusal.subject ?? "recorder-engine", why: "\(refusal.errno)",
        advice: advice)
    }
    return missing(quoted(command.name), places)
  }

  private static func missing(_ what: String, _ places: [String]) -> Message {
    let looked = places.prefix(2).map(quoted).joined(separator: " and ")
    return Message("\(what) needs recorder-engine, which is not in \(looked)", advice: advice)
  }
}

/// The log of a process that runs in the background, which has its stderr.
package struct EngineLog {
  let path: String

  /// The log at a path.
  package init(path: String) { self.path = path }

  /// In bytes; a log larger than this is truncated.
  private static let largest: Int64 = 1 << 20

  /// Opens the log to append to it.
  package func open() throws(SystemError) -> Descriptor {
    let log = try Descriptor(
      opening: path, [.writeOnly, .create, .append, .noFollow, .nonBlocking])
    if try log.status().size > Self.largest { try log.truncate(to: 0) }
    return log
  }

  /// The failure of a process that ended before it was ready, with its last words.
  ///
  /// - Parameter subject: the subject of the message, such as `the recording`.
  func failure(of subject: String) -> Failure {
    if (try? FileSystem.freeBytes(at: path)) == 0 {
      // It had nowhere to say why.
      return Failure(
        "\(subject) ended before it began", SystemError("write", path, errno: .noSpace))
    }
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
    "libjansson.so.4": "libjansson4", "libebur128.so.1": "libebur128-1",
    "libz.so.1": "zlib1g",
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
