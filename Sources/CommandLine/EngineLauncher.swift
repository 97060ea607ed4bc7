internal import Linux

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
