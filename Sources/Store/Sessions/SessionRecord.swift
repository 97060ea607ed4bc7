package import Audio
package import Control
package import JSON
internal import Linux

/// What a session leaves on the disk while it lives, so that a take can be found after it died.
package struct SessionRecord: Hashable, Sendable {
  package var identifier: String
  package var name: String
  package var process: Int32
  /// When the process was started, in ticks of this boot: with its number, no other is meant.
  package var started: Int64?
  /// Who asked for it; nil is everybody.
  package var client: String?
  package var device: String
  /// The file that it was to be, and the one that it is until then; nil for the standard output.
  package var path: String?
  package var part: String?
  /// The parts of earlier files of the take that wait for their names.
  package var closing: [String] = []
  /// Where it listens; nil where the usual place for sockets is meant.
  package var socket: String?
  /// Since 1970.
  package var began: Duration
  /// What the file is, for whoever has to make it whole; a record of before does not say.
  package var output: OutputPlan?
  /// What the device delivers, and how samples lie in the file.
  package var stream: StreamFormat?
  package var file: StreamFormat?

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
  /// What was recorded and is still there under the name that it had, oldest first.
  package var parts: [String] {
    (closing + [part].compactMap(\.self)).filter {
      (try? FileStatus(of: $0, following: false)) != nil
    }
  }

  /// Whether any of it is.
  package var isLeft: Bool { !parts.isEmpty }
}

extension SessionRecord: JSONConvertible {
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
