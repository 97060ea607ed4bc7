internal import Control
internal import JSON
internal import Linux

/// The sound that a command is about.
enum SoundTarget {
  static let one = Operand<Text>(
    .one, named: "NAME", summary: "The sound, as it was played or as status shows it")
  static let any = Operand<Text>(
    .optional, named: "NAME",
    summary: "The sound, as it was played or as status shows it; all where none is given")
  static let all = Flag("all", short: "a", summary: "Every sound, as without NAME")
  static let device = Option<Text>(
    "device", short: "d", summary: "Only what plays there; where a sound that does not play will")

  /// The request's arguments that say it.
  static func members(_ arguments: Arguments) throws(Failure) -> JSONObject {
    let typed = (arguments[one] + arguments[any]).first?.value
    let name = try typed.map(name)
    guard name == nil || !arguments[all] else {
      throw Failure(.usage, Message("--all takes no NAME"))
    }
    var members: JSONObject = ["environment": try PlayerSurroundings.environment().object]
    members.set("name", name)
    members.set("device", arguments[device]?.value)
    return members
  }

  /// What a sound is called: a name of the library as it is, a file by its whole path.
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

  /// Tells the player, which is started only where a sound is named.
  static func tell(
    _ verb: String, _ arguments: Arguments, _ more: JSONObject = [:]
  ) throws(Failure) -> any Report {
    var members = try members(arguments)
    for member in more.members { members[member.key] = member.value }
    if members["name"] == nil {
      guard var link = try PlayerLink.running() else { return SoundStatusReport(sounds: []) }
      return try SoundStatusReport(link.ask(verb, members))
    }
    var link = try PlayerLink.started(opening: arguments[device]?.value ?? "default")
    return try SoundStatusReport(link.ask(verb, members))
  }
}
