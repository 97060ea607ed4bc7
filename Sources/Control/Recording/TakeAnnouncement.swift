package import JSON
package import Linux

/// A file that is whole and is about to get its name, with all that is to be known of it afterwards.
package struct TakeAnnouncement: Hashable, Sendable {
  /// What it will be; its path is the one that is meant, and may become another.
  package var result: RecordingResult
  /// The hidden name that it has until then.
  package var part: String
  /// What tells the file from all others, whatever its name is.
  package var device: UInt64
  package var inode: UInt64
  /// What is to lie beside it, where something is.
  package var sidecar: JSONObject?

  package init(
    _ result: RecordingResult, in part: String, _ status: FileStatus, sidecar: JSONObject? = nil
  ) {
    self.result = result
    self.part = part
    device = status.device
    inode = status.inode
    self.sidecar = sidecar
  }
}

extension TakeAnnouncement: JSONConvertible {
  package init?(json: JSONValue) {
    guard let result = json["result"].flatMap(RecordingResult.init(json:)),
      let part = json["part"]?.string, let device = json["device"].flatMap(UInt64.init(json:)),
      let inode = json["inode"].flatMap(UInt64.init(json:))
    else { return nil }
    self.result = result
    self.part = part
    self.device = device
    self.inode = inode
    sidecar = json["sidecar"]?.object
  }

  package var json: JSONValue {
    var members: JSONObject = ["result": result.json, "part": part.json]
    members.set("device", device)
    members.set("inode", inode)
    members.set("sidecar", sidecar)
    return .object(members)
  }
}
