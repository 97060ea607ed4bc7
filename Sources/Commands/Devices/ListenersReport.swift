internal import JSON
internal import Devices
internal import Linux
internal import Store

/// The report of `listeners`: the programs that record now.
struct ListenersReport: Report {
  var uses: [DeviceUse]
  /// The reason why the clients of PipeWire are not known, or nil if they are known.
  var fault: String?
  /// The recordings and meters of recorder on this machine.
  var sessions: [SessionRecord] = []

  func text(_ style: Style) -> String {
    let rows = uses.map { text($0, style) }.joined()
    return (rows.isEmpty ? "No program is recording.\n" : rows)
      + (missing.map { paragraph(printable($0)) } ?? "")
  }

  private var missing: String? {
    fault.map { "Programs that use PipeWire are not listed: \($0)" }
  }

  private func text(_ use: DeviceUse, _ style: Style) -> String {
    let facts = [
      use.source, use.program.process > 0 ? "process \(use.program.process)" : nil,
      use.program.script.map { "script \(quoted($0))" }, use.owner,
      session(of: use).map(described),
    ].compactMap(\.self).joined(separator: "; ")
    let lines = wrapped(printable(facts), width: textWidth - 6).map { "      \($0)\n" }
    return "  \(style.heading(printable(use.head)))\n" + lines.joined()
  }

  /// Returns the recording or meter of the process that uses the device, or nil if there is none or
  /// more than one.
  private func session(of use: DeviceUse) -> SessionRecord? {
    let found = sessions.filter { $0.process == use.program.process }
    return found.count == 1 ? found[0] : nil
  }

  private func described(_ session: SessionRecord) -> String {
    let name = session.name.isEmpty ? "a meter" : "recording \(quoted(session.name))"
    return "\(name), since \(localTime(of: session.began))"
  }
}

extension DeviceUse {
  /// The program. If the kernel's facts do not identify the program, the name that it gives itself
  /// is added.
  fileprivate var head: String {
    guard program.identity.identifier == nil, let name else { return "\(program.identity)" }
    return "\(program.identity), calls itself \(quoted(name))"
  }

  /// The device, and whether it is used through PipeWire or ALSA.
  fileprivate var source: String {
    (isPlayed ? "sound of \(quoted(title))" : title)
      + (route == .alsa ? ", directly through ALSA" : ", through PipeWire")
  }

  /// The user who runs the program, or nil if it is this user.
  fileprivate var owner: String? {
    guard let user = program.user, user != Environment.effectiveUser else { return nil }
    return "user \((try? UserAccount(user))??.name ?? "\(user)")"
  }
}

extension ListenersReport {
  var json: JSONObject {
    var object: JSONObject = ["listeners": .array(uses.map(json))]
    object["message"] = missing.map(JSONValue.string)
    return object
  }

  private func json(_ use: DeviceUse) -> JSONValue {
    let (program, session) = (use.program, session(of: use))
    var object: JSONObject = [
      "identity": program.identity.identifier.map(JSONValue.string) ?? .null,
      "device": use.device.json,
      "deviceTitle": use.title.json,
      "service": .string(use.isPlayed ? "systemAudio" : "microphone"),
      "through": .string(use.route.rawValue),
    ]
    if case .unknown(let reason) = program.identity { object["unknown"] = .string("\(reason)") }
    object["claimedName"] = use.name.map(JSONValue.string)
    object["pid"] = program.process > 0 ? program.process.json : JSONValue?.none
    object["user"] = program.user.map { .integer(Int64($0)) }
    object["script"] = program.script.map(JSONValue.string)
    object["name"] = session.flatMap { $0.name.isEmpty ? nil : .string($0.name) }
    object["since"] = session.map { .string(WallTime(sinceEpoch: $0.began).rfc3339) }
    return .object(object)
  }
}
