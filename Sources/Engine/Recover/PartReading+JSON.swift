internal import Audio
internal import Control
internal import Decoding
internal import Files
internal import JSON
internal import Linux

extension PartReading {
  /// Reads a line of a process that the part may control: only plain numbers in their places count.
  init(line: ArraySlice<UInt8>) {
    let limits = JSONLimits(bytes: SoundReading.longest)
    let json = try? JSONValue(decoding: Array(line).span, limits: limits)
    self = json?.object.flatMap(PartReading.init) ?? .unread(SoundReading.broken)
  }

  private init?(_ object: JSONObject) {
    if let problem = SoundProblem(object) {
      self = .unread(problem.reason)
    } else if let plan = object["plan"] {
      guard let plan = RepairPlan(json: plan) else { return nil }
      self = .plan(plan)
    } else if let number = object["errno"].flatMap(Int32.init(json:)) {
      self = .failed(Errno(rawValue: number))
    } else {
      guard let word = object["found"]?.string else { return nil }
      self = word == "nothing" ? .empty : .foreign
    }
  }

  /// The object for another process.
  var object: JSONObject {
    switch self {
    case .plan(let plan): ["plan": plan.json]
    case .empty: ["found": "nothing"]
    case .foreign: ["found": "foreign"]
    case .failed(let errno): ["errno": errno.rawValue.json]
    case .unread(let reason): SoundProblem(reason).json
    }
  }
}

extension RepairPlan {
  fileprivate init?(json: JSONValue) {
    guard let stream = json["stream"].flatMap(StreamFormat.init(json:)),
      let frames = json["frames"].flatMap(Int64.init(json:)), let hasGap = json["gap"]?.bool,
      let work = json["work"].flatMap(Work.init(json:))
    else { return nil }
    self.init(stream, frames: FrameCount(frames), work, hasGap: hasGap)
  }

  fileprivate var json: JSONValue {
    ["stream": stream.json, "frames": frames.value.json, "gap": hasGap.json, "work": work.json]
  }
}

extension RepairPlan.Work {
  fileprivate init?(json: JSONValue) {
    let end = json["end"].flatMap(Int64.init(json:))
    switch (json["format"]?.string, end) {
    case ("wav", nil): self = .wave(isIntact: json["intact"]?.bool ?? false)
    case ("raw", nil): self = .raw
    case ("flac", let end?):
      let header = json["header"].map(FLACStatement.init(json:))
      guard header == nil || header != .some(nil) else { return nil }
      self = .flac(end: end, header ?? nil)
    case ("opus", let end?):
      let header = json["header"].map(OggEnding.init(json:))
      guard header == nil || header != .some(nil) else { return nil }
      self = .opus(end: end, header ?? nil)
    default: return nil
    }
  }

  fileprivate var json: JSONValue {
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

extension FLACStatement {
  fileprivate init?(json: JSONValue) {
    guard let rate = json["rate"].flatMap(Int.init(json:)).flatMap({ SampleRate($0) }),
      let channels = json["channels"].flatMap(Int.init(json:)),
      let bits = json["bits"].flatMap(Int.init(json:)),
      let frames = json["frames"].flatMap(Int64.init(json:)),
      let shortest = json["shortest"].flatMap(Int.init(json:)),
      let longest = json["longest"].flatMap(Int.init(json:)), let keeps = json["digest"]?.bool
    else { return nil }
    self.init(
      rate: rate, channels: channels, bits: bits, frames: frames, shortest: shortest,
      longest: longest, keepsDigest: keeps)
  }

  fileprivate var json: JSONValue {
    [
      "rate": rate.hertz.json, "channels": channels.json, "bits": bits.json,
      "frames": frames.json, "shortest": shortest.json, "longest": longest.json,
      "digest": keepsDigest.json,
    ]
  }
}

extension OggEnding {
  fileprivate init?(json: JSONValue) {
    guard let page = json["page"].flatMap(Int64.init(json:)),
      let flags = json["flags"].flatMap(UInt32.init(json:)),
      let granule = json["granule"].flatMap(Int64.init(json:)),
      let serial = json["serial"].flatMap(UInt32.init(json:)),
      let sequence = json["sequence"].flatMap(UInt32.init(json:)),
      let checksum = json["checksum"].flatMap(UInt32.init(json:))
    else { return nil }
    self.init(
      page: page, flags: flags, granule: granule, serial: serial, sequence: sequence,
      checksum: checksum)
  }

  fileprivate var json: JSONValue {
    [
      "page": page.json, "flags": flags.json, "granule": granule.json, "serial": serial.json,
      "sequence": sequence.json, "checksum": checksum.json,
    ]
  }
}
