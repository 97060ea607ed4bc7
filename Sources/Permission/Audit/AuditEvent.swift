internal import Linux
internal import JSON

/// One event in the history of the permission.
package struct AuditEvent: Hashable, Sendable {
  /// The kinds of events; the raw values are those of the file.
  package enum Kind: String, CaseIterable, Sendable {
    case prompt, grant, revoke, reset, expire, refuse, start, stop, storeUnusable
  }

  /// The kind of the event.
  package let kind: Kind
  /// The time of the event, on both clocks.
  package let clock: ClockReading
  /// The process that caused the event.
  package let process: ProcessFacts
  /// The client that the process acted for.
  package let client: Client
  /// The device, by the name given.
  package var device: String?
  /// The file to record to.
  package var output: String?
  /// The status before the event.
  package var from: AuthorizationStatus?
  /// The status after the event; nil if the event cannot change it.
  package var to: AuthorizationStatus?
  /// The name of the decision's source, such as `policy` or `environment`.
  package var source: String?
  /// The reason for the decision.
  package var reason: Reason?
  /// The length of the recording.
  package var duration: Duration?
  /// The number of frames recorded.
  package var frames: Int64?
  /// The exit code of the process.
  package var exit: Int32?

  /// An event without details; those that apply are set afterwards.
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
