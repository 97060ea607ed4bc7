package import Audio
package import JSON

/// The state of a session at one instant.
package struct RecordingStatus: Hashable, Sendable {
  /// The states of a recording.
  package enum State: String, Hashable, Sendable {
    case starting
    /// The device is open; no frame is kept until a trigger or a sound begins the take.
    case armed
    case recording, paused, finishing
  }

  /// The identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session.
  package var name: String
  /// The state at that instant.
  package var state: State
  /// The process number of the session.
  package var process: Int32
  /// The file that is being written, or nil for the standard output.
  package var path: String?
  /// The capture device, as it was typed.
  package var device: String
  /// The format that the device delivers.
  package var stream: StreamFormat
  /// The container of the file.
  package var format: FileFormat
  /// The sample format, rate and channels in the file; nil where unknown.
  package var file: StreamFormat?
  /// The frames so far, counted at the device's rate.
  package var frames = Accounting()
  /// The last gaps so far, at most `mostGaps`.
  package var gaps: [Gap] = []
  /// The level since the last report.
  package var level: Level = .silence
  /// The highest peak of the whole take.
  package var highestPeak = 0.0
  /// The bytes written to the current file.
  package var bytes: Int64 = 0
  /// The number of marks so far.
  package var marks = 0
  /// The number of the current file of a take that has several; nil otherwise.
  package var segment: Int?
  /// The seconds of recording that still fit on the disk; nil where unknown.
  package var freeSeconds: Double?
  /// The client that asked for the recording; nil is everybody.
  package var client: String?
  /// The current warnings, in words for the user.
  package var warnings: [String] = []

  /// The most gaps of a status: more would not fit into a line; the sidecar has all of them.
  package static let mostGaps = 200

  /// A status without frames; the other members are set afterwards.
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
  /// Reads a reply or an event; nil where a member is missing or its sums could overflow.
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

  /// The object of a reply or an event; levels are in decibels.
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
  /// A level as JSON has it, where null is silence.
  package init(json: JSONValue?) { self.init(json?.number ?? -.infinity) }

  /// The number, or null for silence.
  package var json: JSONValue { value.isFinite ? .number(value) : .null }
}
