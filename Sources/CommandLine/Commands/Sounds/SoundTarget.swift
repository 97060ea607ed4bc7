internal import Control
internal import JSON
internal import Linux

/// The operand and options that select a command's sound.
enum SoundTarget {
  static let operand = Operand<Text>(.optional, named: "NAME", summary: Meant.summary("sound"))
  static let all = Flag("all", short: "a", summary: "Every sound")
  static let device = Option<DeviceText>("device", short: "d", summary: "The output to act on")

  /// The request's members that name the sound, the device and the environment.
  static func members(_ arguments: Arguments) throws(Failure) -> JSONObject {
    let typed = arguments[operand].first?.value
    let name = try typed.map(name)
    guard name == nil || !arguments[all] else {
      throw Failure(.usage, Message("--all takes no NAME"))
    }
    var members: JSONObject = ["environment": try PlayerSurroundings.environment().object]
    members.set("name", name)
    members.set("device", arguments[device]?.value)
    return members
  }

  /// The sound's name as the player knows it: a name of the library as it is, a file by its
  /// absolute path.
  static func name(_ typed: String) throws(Failure) -> String {
    guard typed.utf8.contains(UInt8(ascii: "/")) else { return typed }
    do throws(SystemError) {
      let whole = typed.begins(with: "/") ? typed : try Program.workingDirectory() + "/" + typed
      let parts = whole.pathNames.filter { $0 != "." }
      return "/" + parts.joined(separator: "/")
    } catch {
      throw Failure(.failed, Message("cannot tell where this is: \(error)"))
    }
  }

  /// Sends a verb to the player, which is started only if a sound is named.
  static func tell(
    _ verb: String, _ arguments: Arguments, _ more: JSONObject = [:]
  ) throws(Failure) -> any Report {
    var members = try members(arguments)
    for member in more.members { members[member.key] = member.value }
    if members["name"] == nil {
      guard var link = try PlayerLink.running() else { return try nothing(for: verb) }
      if !arguments[all] {
        let sounds = try SoundStatusReport(link.ask("status")).sounds
        guard let name = try meant(by: verb, among: sounds, on: arguments[device]?.value) else {
          return try nothing(for: verb)
        }
        members.set("name", name)
      }
      return try SoundStatusReport(link.ask(verb, members))
    }
    var link = try PlayerLink.started(opening: arguments[device]?.value ?? "default")
    var report = try SoundStatusReport(link.ask(verb, members))
    if remembered.contains(verb) { report.nothing = "Remembered for the next play." }
    return report
  }
}

extension SoundTarget {
  /// The commands that succeed with nothing to do, because the state is already the wanted one.
  private static let idempotent: Set<String> = ["stop", "pause", "resume"]

  /// The commands that also apply to a sound that does not play.
  private static let remembered: Set<String> = ["volume", "mute", "unmute"]

  private static func nothing(for verb: String) throws(Failure) -> SoundStatusReport {
    guard !idempotent.contains(verb) else { return SoundStatusReport(sounds: []) }
    throw Failure(
      .notFound, Message("no sound was played lately", advice: "give the name of a sound"))
  }

  /// The only sound that a command without a name can apply to; nil if there is none.
  private static func meant(
    by verb: String, among sounds: [SoundStatus], on device: String?
  ) throws(Failure) -> String? {
    let there = sounds.filter { device == nil || $0.output == device }
    let states: Set<SoundStatus.State> =
      switch verb {
      case "pause": [.playing]
      case "resume": [.paused, .stopped]
      default: [.playing, .paused]
      }
    let active = there.filter { states.contains($0.state) || $0.queued > 0 }
    let meant = active.isEmpty && !idempotent.contains(verb) ? there : active
    let names = Set(meant.map(\.name)).sorted()
    return try Meant.only(names, "sound", called: { $0 }, all: idempotent.contains(verb))
  }
}
