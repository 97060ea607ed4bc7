package import Audio
internal import JSON

/// The facts of a take, or of one of its files, that its status and its result share.
package struct TakeFacts: Hashable, Sendable {
  /// The identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session.
  package var name: String
  /// The client that requested the recording, or nil for everyone.
  package var client: String?
  /// The tracks, at least one.
  package var tracks: [Track]
  /// The format that the device delivers.
  package var stream: StreamFormat
  /// The container of the file.
  package var format: FileFormat
  /// The sample format, rate and channels in the file, or nil if unknown.
  package var file: StreamFormat?
  /// The path of the file, or nil for the standard output or if no file was kept.
  package var path: String?
  /// The frames, counted at the device's rate.
  package var frames = Accounting()
  /// The last gaps, at most `mostGaps`.
  package var gaps: [Gap] = []
  /// The highest peak, as an amplitude from 0 to 1.
  package var highestPeak = 0.0
  /// The size of the file.
  package var bytes: Int64 = 0
  /// The number of marks.
  package var marks = 0
  /// The number of this file in a take with several files, or nil otherwise.
  package var segment: Int?

  /// The largest number of gaps in a message. More would not fit into a line; the sidecar has all
  /// of them.
  package static let mostGaps = 200

  /// The facts of a take without frames. The other members are set once they are known.
  package init(
    identifier: String, name: String, device: String, stream: StreamFormat, format: FileFormat
  ) {
    self.identifier = identifier
    self.name = name
    tracks = [Track(device: device)]
    self.stream = stream
    self.format = format
  }
}

extension TakeFacts {
  /// The device of the first track, as it was typed.
  package var device: String {
    get { tracks[0].device }
    set { tracks[0].device = newValue }
  }
}

/// The JSON members of the facts, in groups. A status and a result put their own members between
/// the groups.
extension TakeFacts {
  /// Reads the members, or returns nil if one is missing or its sums could overflow.
  ///
  /// - Parameter peak: the key of the highest peak.
  init?(json: JSONValue, peak: String) {
    guard let identifier = json["id"]?.string, let name = json["name"]?.string,
      let tracks = [Track](ofTake: json), let stream = StreamFormat(json: json),
      let format = json["format"].flatMap(FileFormat.init(json:)),
      let frames = json["frames"].flatMap(Accounting.init(json:)),
      frames.elapsed.duration(at: stream.rate) < .mostRecorded
    else { return nil }
    self.init(identifier: identifier, name: name, device: "", stream: stream, format: format)
    self.tracks = tracks
    self.frames = frames
    client = json["client"]?.string
    file = json["file"].flatMap(StreamFormat.init(json:))
    path = json["path"]?.string
    gaps = json["gaps"].flatMap([Gap].init(json:)) ?? []
    highestPeak = Decibels(json: json[peak]).amplitude
    bytes = json["bytes"]?.integer(in: .sizes) ?? 0
    marks = json["marks"]?.integer(in: .counts) ?? 0
    segment = json["segment"]?.integer(in: .ordinals)
  }

  /// The take and the session.
  var identity: JSONObject { ["id": identifier.json, "name": name.json] }

  /// The device, the formats, and the tracks if they have names.
  var source: JSONObject {
    var members: JSONObject = ["device": device.json]
    members.set("deviceTitle", tracks[0].deviceTitle)
    members.add(stream.json)
    members.set("format", format)
    members.set("file", file)
    members.set("tracks", tracks.named)
    return members
  }

  /// The frame counts and the gaps.
  var counts: JSONObject { ["frames": frames.json, "gaps": gaps.json] }

  /// The highest peak in decibels, or null for silence.
  var peak: JSONValue { Decibels(amplitude: highestPeak).json }

  /// The size of the file in bytes and its number of marks.
  var size: JSONObject { ["bytes": bytes.json, "marks": marks.json] }
}

extension JSONObject {
  /// Adds the members of an object after the existing ones.
  mutating func add(_ object: JSONValue) {
    for member in object.object?.members ?? [] { self[member.key] = member.value }
  }

  /// Adds the members of an object after the existing ones.
  mutating func add(_ object: JSONObject) { add(.object(object)) }
}
