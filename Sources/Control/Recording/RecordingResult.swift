package import Audio
package import JSON

/// The result of a recording; it outlives the session until it has been read.
package struct RecordingResult: Hashable, Sendable {
  /// The identifier of the take in the catalogue.
  package var identifier: String
  /// The user's name for the session.
  package var name: String
  /// The reason why the recording, or this file of it, ended.
  package var reason: EndReason
  /// The code that `stop` and `wait` exit with.
  package var exit: Int32
  /// The faults, in words; nil where there were none.
  package var message: String?
  /// The file, or nil where none was kept.
  package var path: String?
  /// The sidecar beside the file; nil where none was written.
  package var sidecar: String?
  /// The capture device, as it was typed.
  package var device: String
  /// The format that the device delivered.
  package var stream: StreamFormat
  /// The container of the file.
  package var format: FileFormat
  /// The sample format, rate and channels in the file; nil where unknown.
  package var file: StreamFormat?
  /// The frames of this file, counted at the device's rate.
  package var frames: Accounting
  /// The last gaps of this file, at most `RecordingStatus.mostGaps`.
  package var gaps: [Gap] = []
  /// The highest peak of this file, as an amplitude from 0 to 1.
  package var highestPeak = 0.0
  /// The number of clipped samples.
  package var clipped = 0
  /// The size of the file.
  package var bytes: Int64 = 0
  /// The number of marks in this file.
  package var marks = 0
  /// The moment since 1970 at which the first frame was captured.
  package var began: Duration
  /// The client that asked for the recording; nil is everybody.
  package var client: String?
  /// Its number among the files of a take that has several.
  package var segment: Int?
  /// The path that all files of one series share: FILE as it was given, made absolute.
  package var series: String?
  /// The whole take, where this is the last of its files.
  package var total: TakeTotal?

  /// A result without a file; the other members are set once they are known.
  package init(
    identifier: String, name: String, reason: EndReason, exit: Int32, device: String,
    stream: StreamFormat, format: FileFormat, frames: Accounting, began: Duration
  ) {
    self.identifier = identifier
    self.name = name
    self.reason = reason
    self.exit = exit
    self.device = device
    self.stream = stream
    self.format = format
    self.frames = frames
    self.began = began
  }

  /// The length of the file.
  package var duration: Duration { frames.onDisk.duration(at: stream.rate) }

  /// The frames of all files of the take together.
  package var takeFrames: FrameCount { (total?.frames ?? frames).onDisk }

  /// The length of the take, all of its files together.
  package var takeDuration: Duration { takeFrames.duration(at: stream.rate) }

  /// True if it went to stdout: it has frames, and no file.
  package var isStream: Bool { path == nil && frames.onDisk > 0 }
}

extension RecordingResult: JSONConvertible {
  /// Reads a reply or a line of the catalogue; nil where a member is missing or its sums could
  /// overflow.
  package init?(json: JSONValue) {
    guard let identifier = json["id"]?.string, let name = json["name"]?.string,
      let reason = json["reason"]?.string.flatMap(EndReason.init(rawValue:)),
      let exit = json["exit"].flatMap(Int32.init(json:)), let device = json["device"]?.string,
      let stream = StreamFormat(json: json),
      let format = json["format"]?.string.flatMap(FileFormat.init(rawValue:)),
      let frames = json["frames"].flatMap(Accounting.init(json:)),
      frames.elapsed.duration(at: stream.rate) < .mostRecorded,
      let began = json["began"].flatMap(Duration.init(moment:))
    else { return nil }
    self.init(
      identifier: identifier, name: name, reason: reason, exit: exit, device: device,
      stream: stream, format: format, frames: frames, began: began)
    file = json["file"].flatMap(StreamFormat.init(json:))
    message = json["message"]?.string
    path = json["path"]?.string
    sidecar = json["sidecar"]?.string
    gaps = json["gaps"].flatMap([Gap].init(json:)) ?? []
    highestPeak = Decibels(json: json["peak"]).amplitude
    clipped = json["clipped"]?.integer(in: 0...Int.max) ?? 0
    bytes = json["bytes"]?.integer(in: 0...Int64.max) ?? 0
    marks = json["marks"]?.integer(in: 0...Int.max) ?? 0
    client = json["client"]?.string
    segment = json["segment"].flatMap(Int.init(json:))
    series = json["series"]?.string
    total = json["total"].flatMap { TakeTotal(json: $0, at: stream.rate) }
  }

  /// The object as it is sent and stored; lengths and levels are derived.
  package var json: JSONValue {
    var members: JSONObject = ["id": identifier.json, "name": name.json]
    members.set("reason", reason.rawValue)
    members.set("exit", exit)
    members.set("message", message)
    members.set("path", path)
    members.set("sidecar", sidecar)
    members.set("device", device)
    for member in stream.json.object?.members ?? [] { members[member.key] = member.value }
    members.set("format", format.rawValue)
    members.set("file", file?.json)
    members.set("duration", duration)
    members.set("frames", frames)
    members.set("gaps", gaps)
    members["peak"] = Decibels(amplitude: highestPeak).json
    members.set("clipped", clipped)
    members.set("bytes", bytes)
    members.set("marks", marks)
    members["began"] = began.moment
    members.set("client", client)
    members.set("segment", segment)
    members.set("series", series)
    members.set("total", total?.json(at: stream.rate))
    return .object(members)
  }
}

/// The reason why a recording ended.
package enum EndReason: String, Hashable, Sendable {
  /// A command, a key or a signal stopped it.
  case stopped
  /// The duration limit was reached.
  case duration
  /// The size limit was reached.
  case size
  /// The take continues in another file.
  case split
  /// The silence lasted for as long as `--stop-on-silence` allows.
  case silence
  /// The disk is full or failed.
  case disk
  /// The device was disconnected or stopped delivering.
  case device
  /// Microphone access was revoked.
  case permission
  /// Microphone access expired.
  case expired
  /// The reader of the standard output closed it.
  case closedOutput
  /// Its process died; the frames on the disk were recovered later.
  case interrupted
  /// It was cancelled; no file was kept.
  case cancelled
}

/// The outcome of a take or of a request, as results and refusals carry it on the wire and on the disk.
///
/// The commands exit with the same numbers.
package enum Outcome: Int32, Hashable, Sendable {
  case done = 0
  case failed = 1
  case notFound = 10
  case alreadyRecording = 11
  case device = 12
  case outputRefused = 13
  case incomplete = 14
  case nothingCaptured = 15
  case notASound = 16
  case displaced = 17
  case permissionNotDetermined = 20
  case permissionDenied = 21
  case permissionRestricted = 22
  case permissionUnusable = 23
  case revokedWhileRecording = 24
  case expiredWhileRecording = 25
  case usage = 64
}

/// The totals of a take that was written into several files.
package struct TakeTotal: Hashable, Sendable {
  /// The number of files.
  package var files: Int
  /// The frames of all files together.
  package var frames: Accounting

  /// The totals of so many files.
  package init(files: Int, frames: Accounting) {
    self.files = files
    self.frames = frames
  }

  /// Replaces the frames of one file, which was found to hold others.
  package mutating func exchange(_ old: Accounting, for new: Accounting) {
    frames.captured += new.captured - old.captured
    frames.lost += new.lost - old.lost
    frames.discarded += new.discarded - old.discarded
    frames.filled += new.filled - old.filled
  }
}

extension TakeTotal {
  init?(json: JSONValue, at rate: SampleRate) {
    guard let files = json["files"]?.integer(in: 1...Int.max),
      let frames = json["frames"].flatMap(Accounting.init(json:))
    else { return nil }
    self.init(files: files, frames: frames)
  }

  func json(at rate: SampleRate) -> JSONValue {
    [
      "files": files.json, "duration": frames.onDisk.duration(at: rate).json,
      "frames": frames.json,
    ]
  }
}
