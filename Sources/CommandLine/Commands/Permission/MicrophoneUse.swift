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

  init(_ record: SessionRecord) {
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
    return shelf.records.filter { SessionName($0.name).map(shelf.isLive) ?? false }
      .map(MicrophoneUse.init)
  }

  /// For a person.
  var sentence: String {
    let since = WallTime(sinceEpoch: began).local("%Y-%m-%d %H:%M:%S") ?? ""
    return "In use since \(since) by the recording \(quoted(name)) (\(printable(device)))."
  }

  var json: JSONObject {
    [
      "name": .string(name), "pid": process.json, "device": .string(device),
      "path": path?.json ?? .null,
      "since": .string(WallTime(sinceEpoch: began).rfc3339),
    ]
  }
}
