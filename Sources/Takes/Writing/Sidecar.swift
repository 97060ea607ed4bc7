internal import Audio
package import Control
internal import JSON
package import Linux
package import Recording
internal import Store

/// `FILE.json`: the result of a take and its events, beside its file.
package struct Sidecar {
  private let json: JSONObject
  private let output: OutputPlan
  private let isNeeded: Bool

  /// The sidecar of one file; its need follows from the output plan and the events.
  ///
  /// - Parameter origin: nil for a file whose recording died.
  package init(
    _ result: RecordingResult, _ output: OutputPlan, _ events: [PlacedEvent],
    from origin: TakeOrigin? = nil
  ) {
    var json: JSONObject = ["schema": 1]
    for member in result.json.object?.members ?? [] { json[member.key] = member.value }
    json[RecordingResult.markTextsKey] = nil
    origin?.add(to: &json)
    json["events"] = .array(events.map(\.json))
    self.json = json
    self.output = output
    isNeeded = output.needsSidecar(events)
  }

  /// Its content; nil where the take needs none.
  var needed: JSONObject? { isNeeded ? json : nil }

  /// Writes the sidecar if the take needs one; `result` gets its path, or the reason why there is
  /// none.
  package func write(
    beside file: String, in directory: borrowing Directory, _ result: inout RecordingResult,
    _ host: any TakeHost
  ) throws(SystemError) {
    guard isNeeded else { return }
    let name = file + ".json"
    if !output.replaces, (try? directory.status(of: name)) != nil {
      result.add(host.words(for: .sidecarExists(name)), .incomplete)
      return
    }
    var json = json
    json.set("path", result.path)
    let text = Array((JSONValue.object(json).encoded(indented: true) + "\n").utf8)
    try AtomicFile.write(text.span, to: name, in: directory)
    result.sidecar = directory.presentPath(of: name)
  }
}

/// The machine that recorded a file, and how far its clock is to be trusted: files of many machines are
/// put beside each other by them.
package struct TakeOrigin: Hashable, Sendable {
  /// The host name.
  let machine: String
  /// The identifier of the boot; nil where the system does not report it.
  let boot: String?
  /// The time zone, such as `Europe/Berlin`; nil where it has no name.
  let zone: String?
  /// The time zone's distance from UTC.
  let offset: Duration
  /// True where the kernel's clock follows a time server; nil where the kernel does not say.
  let isSynchronized: Bool?

  /// The origin of a file that begins now.
  static var current: TakeOrigin {
    let host = Host.current
    return TakeOrigin(
      machine: host.name, boot: host.boot, zone: WallTime.zone, offset: WallTime.now.localOffset,
      isSynchronized: KernelClock.isSynchronized)
  }

  func add(to members: inout JSONObject) {
    members.set("machine", machine)
    members.set("boot", boot)
    members.set("zone", zone)
    members.set("offset", offset)
    members.set("clock", isSynchronized.map { $0 ? "synchronized" : "unsynchronized" })
  }
}

extension Sidecar {
  /// More than every event of a take of days needs.
  private static let largest = 1 << 26

  /// The identifier of the take in a sidecar; nil where the file is no sidecar.
  package static func identifier(in file: borrowing Descriptor) -> String? {
    guard (try? file.status())?.kind == .regular, let bytes = try? file.readAll(upTo: largest)
    else { return nil }
    return identifier(in: bytes)
  }

  /// The same for what such a file holds.
  package static func identifier(in bytes: [UInt8]) -> String? {
    let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest))
    return json?["id"]?.string
  }
}

extension OutputPlan {
  /// True for facts that the file itself cannot hold.
  func needsSidecar(_ events: [PlacedEvent]) -> Bool {
    switch sidecar {
    case .always: true
    case .never: false
    case .automatic:
      (format != .wav && !events.isEmpty) || events.contains(where: \.isLoss)
        || (!format.hasTags && (title ?? note) != nil)
    }
  }
}

extension PlacedEvent {
  /// True for an event after which the file's time and the clock's differ.
  fileprivate var isLoss: Bool {
    switch event {
    case .mark: false
    case .paused, .resumed, .gap: true
    }
  }
}
