internal import Control
internal import JSON
internal import Linux

/// A recording that uses the microphone.
struct MicrophoneUse: Hashable, Sendable {
  let name: String
  let process: Int32
  let device: String
  let path: String?
  /// Since 1970.
  let began: Duration
  /// The machine that shares the home, where it is another one.
  let host: String?

  init(_ record: SessionRecord, on host: String? = nil) {
    self.host = host
    name = record.name
    process = record.process
    device = record.device
    path = record.path
    began = record.began
  }

  /// Those that go on; nobody is asked, so that a session that hangs is told too.
  static func now() -> [MicrophoneUse] {
    guard let places = try? SessionPlaces.current() else { return [] }
    let shelf = SessionShelf(places)
    let distant = shelf.distant
    let here = shelf.records.filter { record in
      SessionName(record.name).map(shelf.isLive) ?? false
        && !distant.contains { $0.record.identifier == record.identifier }
    }
    return here.map { MicrophoneUse($0) }
      + distant.map { MicrophoneUse($0.record, on: $0.host.name) }
  }

  /// For a person.
  var sentence: String {
    let since = WallTime(sinceEpoch: began).local("%Y-%m-%d %H:%M:%S") ?? ""
    return "In use since \(since) by the recording \(quoted(name)) (\(printable(device)))"
      + (host.map { " on \(quoted($0))." } ?? ".")
  }

  var json: JSONObject {
    var members: JSONObject = [
      "name": .string(name), "pid": process.json, "device": .string(device),
      "path": path?.json ?? .null,
      "since": .string(WallTime(sinceEpoch: began).rfc3339),
    ]
    members.set("host", host)
    return members
  }
}
