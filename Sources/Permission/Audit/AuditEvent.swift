internal import Linux
internal import JSON

/// Something that happened to the permission.
package struct AuditEvent: Hashable, Sendable {
  /// What happened.
  package enum Kind: String, CaseIterable, Sendable {
    case prompt, grant, revoke, reset, expire, refuse, start, stop, storeUnusable
  }

  /// What happened.
  package let kind: Kind
  /// When, on both clocks.
  package let clock: ClockReading
  /// Which process did it.
  package let process: ProcessFacts
  /// In whose name.
  package let client: Client
  /// The device, as it was named.
  package var device: String?
  /// The file that was to be recorded.
  package var output: String?
  /// The status before.
  package var from: AuthorizationStatus?
  /// The status after, where it could change.
  package var to: AuthorizationStatus?
  /// What decided.
  package var source: String?
  /// Why it decided so.
  package var reason: Reason?
  /// How long it was recorded for.
  package var duration: Duration?
  /// How many frames were recorded.
  package var frames: Int64?
  /// What the process answered.
  package var exit: Int32?

  package init(
    _ kind: Kind, at clock: ClockReading, by process: ProcessFacts, client: Client
  ) {
    self.kind = kind
    self.clock = clock
    self.process = process
    self.client = client
  }
}

extension AuditEvent {
  /// The line of the file, without its end; a name from outside is cut before it makes the line long.
  package var line: String {
    var object: JSONObject = ["time": .string(clock.wall.rfc3339)]
    object.set("boottime", clock.boottime.nanoseconds)
    object.set("event", kind.rawValue)
    object.set("uid", process.user)
    object.set("pid", process.id)
    object.set("ppid", process.parent)
    object.set("exe", process.executable.map(Self.cut))
    object.set("tty", process.terminal.map(Self.cut))
    object.set("client", client.name)
    object.set("device", device.map(Self.cut))
    object.set("output", output.map(Self.cut))
    object.set("from", from?.description)
    object.set("to", to?.description)
    object.set("source", source.map(Self.cut))
    object.set("reason", reason?.rawValue)
    object.set("duration", duration)
    object.set("frames", frames)
    object.set("exit", exit)
    return JSONValue.object(object).encoded()
  }

  private static func cut(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: text.unicodeScalars.prefix(1_024))
    return String(kept)
  }
}
