internal import Audio
package import Control
internal import JSON
package import Linux
package import Recording
internal import Store

/// `FILE.json`: the result and the events of a take, in the directory of its file.
package struct Sidecar {
  private let json: JSONObject
  private let isNeeded: Bool

  /// The sidecar of one file. The output plan and the events decide whether it is needed.
  ///
  /// - Parameter origin: the origin of the file, or nil if its session died.
  package init(
    _ result: RecordingResult, _ output: OutputPlan, _ events: [PositionedEvent],
    from origin: TakeOrigin? = nil
  ) {
    var json: JSONObject = ["schema": 1]
    for member in result.json.object?.members ?? [] { json[member.key] = member.value }
    json[RecordingResult.markTextsKey] = nil
    origin?.add(to: &json)
    json["events"] = .array(events.map(\.json))
    self.json = json
    isNeeded = output.needsSidecar(events, of: result.tracks)
  }

  /// The content of the sidecar, or nil if none is needed.
  var needed: JSONObject? { isNeeded ? json : nil }

  /// Writes the sidecar if it is needed. `result` gets the path of the sidecar.
  ///
  /// - Parameter isReplacing: true if the file of the take has replaced another file. In this case
  ///   an existing file with the name of the sidecar is replaced, too. If no sidecar is needed, the
  ///   sidecar of the replaced file is removed. If `isReplacing` is false, throws `exists` if a
  ///   file has the name of the sidecar.
  package func write(
    beside file: String, in directory: borrowing Directory, replacing isReplacing: Bool,
    _ result: inout RecordingResult
  ) throws(SystemError) {
    guard isNeeded else {
      if isReplacing { Self.remove(beside: file, in: directory) }
      return
    }
    let name = file + ".json"
    if !isReplacing, (try? directory.status(of: name)) != nil {
      throw SystemError("renameat2", directory.path(of: name), errno: .exists)
    }
    var json = json
    json.set("path", result.path)
    let text = Array((JSONValue.object(json).encoded(indented: true) + "\n").utf8)
    try AtomicFile.write(text.span, to: name, in: directory)
    result.sidecar = directory.presentPath(of: name)
  }
}

/// The machine that recorded a file, and the reliability of its clock. Both help to align the files
/// of several machines.
package struct TakeOrigin: Hashable, Sendable {
  /// The host name.
  let machine: String
  /// The identifier of the boot, or nil if the system does not report it.
  let boot: String?
  /// The time zone, such as `Europe/Berlin`, or nil if it has no name.
  let zone: String?
  /// The offset of the time zone from UTC.
  let offset: Duration
  /// Whether the clock is synchronized with a time server, or nil if the kernel does not report it.
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
  /// Removes the sidecar of a file. A file that has the name of the sidecar, but is not a sidecar,
  /// stays.
  package static func remove(beside file: String, in directory: borrowing Directory) {
    let name = file + ".json"
    guard let file = try? directory.open(name, [.noFollow, .nonBlocking]),
      identifier(in: file) != nil
    else { return }
    try? directory.remove(name)
  }

  /// A size limit. Even the sidecar of a take of several days is smaller.
  private static let largest = 1 << 26

  /// Returns the identifier of the take in a sidecar, or nil if the file is not a sidecar.
  package static func identifier(in file: borrowing Descriptor) -> String? {
    guard (try? file.status())?.kind == .regular, let bytes = try? file.readAll(upTo: largest)
    else { return nil }
    return identifier(in: bytes)
  }

  /// Returns the identifier of the take in the content of a sidecar, or nil if the content is not
  /// that of a sidecar.
  package static func identifier(in bytes: [UInt8]) -> String? {
    let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest))
    return json?["events"]?.array == nil ? nil : json?["id"]?.string
  }
}

extension OutputPlan {
  /// Returns whether the file needs a sidecar. In the automatic mode of the plan, a sidecar is
  /// needed for facts that the file itself cannot store.
  func needsSidecar(_ events: [PositionedEvent], of tracks: [Track]) -> Bool {
    switch sidecar {
    case .always: true
    case .never: false
    case .automatic:
      events.contains { $0.needsSidecar(besides: format) }
        || (!format.hasTags && (title ?? note) != nil) || tracks.named != nil
    }
  }
}

extension PositionedEvent {
  /// Returns whether a file of this format needs a sidecar for the event.
  fileprivate func needsSidecar(besides format: FileFormat) -> Bool {
    switch event {
    // If the disk failed, the missing frames come after the end of the file, so no sidecar is
    // needed.
    case .gap(let gap, let isFilled): isFilled || gap.cause != .disk
    case .mark, .track: format != .wav
    case .paused, .resumed, .device: true
    }
  }
}
