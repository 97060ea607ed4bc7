internal import Audio
internal import Control
package import Files
package import JSON

/// A repair plan as the reader of a part sends it.
extension RepairPlan {
  /// Reads what `json` wrote; nil where a number is missing or has no room in its type.
  init?(json: JSONValue) {
    guard let stream: StreamFormat = json.member("stream"),
      let frames: Int64 = json.member("frames"), let hasGap = json["gap"]?.bool,
      let work: Work = json.member("work")
    else { return nil }
    self.init(stream, frames: FrameCount(frames), work, hasGap: hasGap)
  }

  var json: JSONValue {
    ["stream": stream.json, "frames": frames.value.json, "gap": hasGap.json, "work": work.json]
  }
}

extension RepairPlan.Work: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or out of its range.
  package init?(json: JSONValue) {
    let end: Int64? = json.member("end")
    switch (json["format"]?.string, end) {
    case ("wav", nil): self = .wave(isIntact: json["intact"]?.bool ?? false)
    case ("raw", nil): self = .raw
    case ("flac", let end?):
      let header: FLACStatement? = json.member("header")
      guard header != nil || json["header"] == nil else { return nil }
      self = .flac(end: end, header)
    case ("opus", let end?):
      let header: OggEnding? = json.member("header")
      guard header != nil || json["header"] == nil else { return nil }
      self = .opus(end: end, header)
    default: return nil
    }
  }

  /// The object within a repair plan.
  package var json: JSONValue {
    var members: JSONObject = [:]
    switch self {
    case .wave(let isIntact): members = ["format": "wav", "intact": isIntact.json]
    case .raw: members = ["format": "raw"]
    case .flac(let end, let statement):
      members = ["format": "flac", "end": end.json]
      members["header"] = statement?.json
    case .opus(let end, let ending):
      members = ["format": "opus", "end": end.json]
      members["header"] = ending?.json
    }
    return .object(members)
  }
}

extension FLACStatement: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or out of its range.
  package init?(json: JSONValue) {
    guard let hertz: Int = json.member("rate"), let rate = SampleRate(hertz),
      let channels: Int = json.member("channels"), let bits: Int = json.member("bits"),
      let frames: Int64 = json.member("frames"), let shortest: Int = json.member("shortest"),
      let longest: Int = json.member("longest"), let keeps = json["digest"]?.bool
    else { return nil }
    self.init(
      rate: rate, channels: channels, bits: bits, frames: frames, shortest: shortest,
      longest: longest, keepsDigest: keeps)
  }

  /// The object within a repair plan.
  package var json: JSONValue {
    [
      "rate": rate.hertz.json, "channels": channels.json, "bits": bits.json,
      "frames": frames.json, "shortest": shortest.json, "longest": longest.json,
      "digest": keepsDigest.json,
    ]
  }
}

extension OggEnding: JSONConvertible {
  /// Reads what `json` wrote; nil where a member is missing or out of its range.
  package init?(json: JSONValue) {
    guard let page: Int64 = json.member("page"), let flags: UInt32 = json.member("flags"),
      let granule: Int64 = json.member("granule"), let serial: UInt32 = json.member("serial"),
      let sequence: UInt32 = json.member("sequence"),
      let checksum: UInt32 = json.member("checksum")
    else { return nil }
    self.init(
      page: page, flags: flags, granule: granule, serial: serial, sequence: sequence,
      checksum: checksum)
  }

  /// The object within a repair plan.
  package var json: JSONValue {
    [
      "page": page.json, "flags": flags.json, "granule": granule.json, "serial": serial.json,
      "sequence": sequence.json, "checksum": checksum.json,
    ]
  }
}

extension JSONValue {
  /// The member as a value of Swift; nil where it is missing or out of the type's range.
  fileprivate func member<Value: JSONConvertible>(_ key: String) -> Value? {
    self[key].flatMap { Value(json: $0) }
  }
}
