package import Audio
package import Control
package import JSON
internal import Linux

/// The record of a session on the disk while it lives, so that its take can be found after it died.
package struct SessionRecord: Hashable, Sendable {
  /// The identifier of the take, which is also valid as a file name.
  package var identifier: String
  /// The user's name for the session.
  package var name: String
  /// The process number of the session, on its own host.
  package var process: Int32
  /// The start time of the process, in ticks of this boot: with its number it identifies the
  /// process.
  package var started: Int64?
  /// The client that asked for the recording; nil is everybody.
  package var client: String?
  /// The capture device, as it was typed.
  package var device: String
  /// The file that the take is going to be; nil for the standard output.
  package var path: String?
  /// The hidden file that is being written; nil for the standard output.
  package var part: String?
  /// The parts of earlier files of the take that have no names yet.
  package var closing: [String] = []
  /// The path of the session's socket; nil for the usual path.
  package var socket: String?
  /// The moment since 1970 at which the take began.
  package var began: Duration
  /// The output of the take, to repair its file; nil in a record of a former release.
  package var output: OutputPlan?
  /// The format that the device delivers; nil until the device is open.
  package var stream: StreamFormat?
  /// The sample format, rate and channels in the file; nil until the device is open.
  package var file: StreamFormat?

  /// A record with the facts known before the device is open.
  package init(
    identifier: String, name: String, process: Int32, device: String, path: String?,
    part: String?, began: Duration
  ) {
    self.identifier = identifier
    self.name = name
    self.process = process
    self.device = device
    self.path = path
    self.part = part
    self.began = began
  }
}

extension SessionRecord {
  /// The parts that still exist under their hidden names, oldest first.
  package var parts: [String] {
    (closing + [part].compactMap(\.self)).filter {
      (try? FileStatus(of: $0, following: false)) != nil
    }
  }

  /// True while any part exists.
  package var isLeft: Bool { !parts.isEmpty }
}

extension SessionRecord: JSONConvertible {
  /// Reads what `json` wrote; nil for an identifier that is not valid as a file name.
  package init?(json: JSONValue) {
    // It becomes a name in the directory of the interrupted ones.
    guard let identifier = json["id"]?.string, SessionName(identifier) != nil,
      let name = json["name"]?.string,
      let process = json["pid"]?.integer(in: 1...Int32.max), let device = json["device"]?.string,
      let began = json["began"].flatMap(Duration.init(moment:))
    else { return nil }
    self.init(
      identifier: identifier, name: name, process: process, device: device,
      path: json["path"]?.string, part: json["part"]?.string, began: began)
    closing = json["closing"].flatMap([String].init(json:)) ?? []
    socket = json["socket"]?.string
    started = json["started"]?.integer(in: 0...Int64.max)
    output = json["output"].flatMap(OutputPlan.init(json:))
    stream = json["stream"].flatMap(StreamFormat.init(json:))
    file = json["file"].flatMap(StreamFormat.init(json:))
    client = json["client"]?.string
  }

  /// The object of the record's file; values that are nil have no member.
  package var json: JSONValue {
    var members: JSONObject = ["id": identifier.json, "name": name.json]
    members.set("pid", process)
    members.set("started", started)
    members.set("client", client)
    members.set("device", device)
    members.set("path", path)
    members.set("part", part)
    if !closing.isEmpty { members.set("closing", closing) }
    members.set("socket", socket)
    members["began"] = began.moment
    members.set("output", output?.json)
    members.set("stream", stream?.json)
    members.set("file", file?.json)
    return .object(members)
  }
}
