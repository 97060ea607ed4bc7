package import Audio
package import JSON

/// What a session does at one instant.
package struct RecordingStatus: Hashable, Sendable {
  /// The stations of a recording.
  package enum State: String, Hashable, Sendable {
    case starting
    /// It listens, and keeps nothing until it is triggered or a sound begins.
    case armed
    case recording, paused, finishing
  }

  package var identifier: String
  package var name: String
  package var state: State
  package var process: Int32
  /// The file that it will be, or nil for the standard output.
  package var path: String?
  package var device: String
  /// What the device delivers.
  package var stream: StreamFormat
  package var format: FileFormat
  /// How samples lie in the file, where that is known.
  package var file: StreamFormat?
  package var frames = Accounting()
  package var gaps: [Gap] = []
  /// The level since the last report.
  package var level: Level = .silence
  /// The highest peak of the whole take.
  package var highestPeak = 0.0
  package var bytes: Int64 = 0
  package var marks = 0
  /// Which of the files of a take that has several is written.
  package var segment: Int?
  /// How much longer the disk can take it.
  package var freeSeconds: Double?
  package var client: String?
  /// What the user should know now.
  package var warnings: [String] = []

  /// Of its gaps, how many are told: more would not fit into a line; the sidecar has all of them.
  package static let mostGaps = 200

  package init(
    identifier: String, name: String, state: State, process: Int32, path: String?, device: String,
    stream: StreamFormat, format: FileFormat
  ) {
    self.identifier = identifier
    self.name = name
    self.state = state
    self.process = process
    self.path = path
    self.device = device
    self.stream = stream
    self.format = format
  }
}

extension RecordingStatus: JSONConvertible {
  package init?(json: JSONValue) {
    guard let identifier = json["id"]?.string, let name = json["name"]?.string,
      let state = json["state"]?.string.flatMap(State.init(rawValue:)),
      let process = json["pid"]?.integer(in: 1...Int32.max), let device = json["device"]?.string,
      let stream = StreamFormat(json: json),
      let format = json["format"]?.string.flatMap(FileFormat.init(rawValue:)),
      let frames = json["frames"].flatMap(Accounting.init(json:)),
      frames.elapsed.duration(at: stream.rate) < .mostRecorded
    else { return nil }
    self.init(
      identifier: identifier, name: name, state: state, process: process,
      path: json["path"]?.string, device: device, stream: stream, format: format)
    self.frames = frames
    file = json["file"].flatMap(StreamFormat.init(json:))
    gaps = json["gaps"].flatMap([Gap].init(json:)) ?? []
    level = Level(
      peak: Decibels(json: json["peak"]).amplitude, rms: Decibels(json: json["rms"]).amplitude,
      clipped: json["clipped"]?.integer(in: 0...Int.max) ?? 0)
    highestPeak = Decibels(json: json["highestPeak"]).amplitude
    bytes = json["bytes"]?.integer(in: 0...Int64.max) ?? 0
    marks = json["marks"]?.integer(in: 0...Int.max) ?? 0
    segment = json["segment"].flatMap(Int.init(json:))
    freeSeconds = json["freeSeconds"]?.number(in: 0...1e15)
    client = json["client"]?.string
    warnings = json["warnings"].flatMap([String].init(json:)) ?? []
  }

  package var json: JSONValue {
    var members: JSONObject = ["id": identifier.json, "name": name.json]
    members.set("state", state.rawValue)
    members.set("pid", process)
    members.set("path", path)
    members.set("device", device)
    for member in stream.json.object?.members ?? [] { members[member.key] = member.value }
    members.set("format", format.rawValue)
    members.set("file", file?.json)
    members.set("elapsed", frames.elapsed.duration(at: stream.rate))
    members.set("frames", frames)
    members.set("gaps", gaps)
    members["peak"] = Decibels(amplitude: level.peak).json
    members["rms"] = Decibels(amplitude: level.rms).json
    members.set("clipped", level.clipped)
    members["highestPeak"] = Decibels(amplitude: highestPeak).json
    members.set("bytes", bytes)
    members.set("marks", marks)
    members.set("segment", segment)
    members.set("freeSeconds", freeSeconds)
    members.set("client", client)
    members.set("warnings", warnings)
    return .object(members)
  }
}

extension Decibels {
  /// A level as it is written in JSON, where null is silence.
  package init(json: JSONValue?) { self.init(json?.number ?? -.infinity) }

  /// The number, or null for silence.
  package var json: JSONValue { value.isFinite ? .number(value) : .null }
}
