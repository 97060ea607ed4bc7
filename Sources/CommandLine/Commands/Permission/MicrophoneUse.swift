internal import Control
internal import JSON
internal import Linux
internal import Store

/// A recording or a meter that uses the microphone.
struct MicrophoneUse: Hashable, Sendable {
  let kind: Listener.Kind
  let name: String
  let process: Int32
  let device: String
  let path: String?
  /// The start of the use, as the time since 1970.
  let began: Duration
  /// The other machine that shares the home; nil for this one.
  let host: String?

  init(_ listener: Listener) {
    let record = listener.record
    kind = listener.kind
    host = listener.host?.name
    name = record.name
    process = record.process
    device = record.device
    path = record.path
    began = record.began
  }

  /// The uses of this moment; no session is asked, so one that hangs is listed too.
  static func now() -> [MicrophoneUse] {
    guard let paths = try? SessionPaths.current() else { return [] }
    return SessionStore(paths).listeners.map(MicrophoneUse.init)
  }

  /// The use in a sentence for a person.
  var sentence: String {
    let since = WallTime(sinceEpoch: began).local("%Y-%m-%d %H:%M:%S") ?? ""
    let whom = kind == .meter ? "a meter" : "the recording \(quoted(name))"
    return "In use since \(since) by \(whom) (\(printable(device)))"
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
