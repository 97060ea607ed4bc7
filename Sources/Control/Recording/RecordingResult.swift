package import Audio
package import JSON

/// The result of a recording. It remains after the session until a command has read it.
@dynamicMemberLookup
package struct RecordingResult: Hashable, Sendable {
  /// The facts of the file, or of the take if it has at most one file.
  package var facts: TakeFacts
  /// The reason why the recording, or this file of it, ended.
  package var reason: EndReason
  /// The exit code for `stop` and `wait`.
  package var exit: Int32
  /// The faults as text, or nil if there were none.
  package var message: String?
  /// The sidecar of the file, or nil if none was written.
  package var sidecar: String?
  /// The number of clipped samples.
  package var clipped = 0
  /// The time since 1970 at which the first frame was captured.
  package var began: Duration
  /// The path that all files of one series share: FILE as it was typed, made absolute.
  package var series: String?
  /// The delivery of the file, pending or done, or nil if the file is not delivered.
  package var delivery: DeliveryPlan?
  /// The totals of the take if this is its last file, or nil otherwise.
  package var total: TakeTotal?
  /// The title, or nil if there is none.
  package var title: String?
  /// The comment, or nil if there is none.
  package var note: String?
  /// The texts of all marks with a text, in order.
  package var markTexts: [String] = []

  /// A result without a file. The other members are set once they are known.
  package init(_ facts: TakeFacts, reason: EndReason, exit: Int32, began: Duration) {
    self.facts = facts
    self.reason = reason
    self.exit = exit
    self.began = began
  }

  /// A fact of the take.
  package subscript<Value>(dynamicMember fact: WritableKeyPath<TakeFacts, Value>) -> Value {
    get { facts[keyPath: fact] }
    set { facts[keyPath: fact] = newValue }
  }

  /// The length of the file.
  package var duration: Duration { facts.frames.onDisk.duration(at: facts.stream.rate) }

  /// The time since 1970 at which the recording ended, by the clock of the device.
  package var ended: Duration { began + facts.frames.elapsed.duration(at: facts.stream.rate) }

  /// The frames of all files of the take together.
  package var takeFrames: FrameCount { (total?.frames ?? facts.frames).onDisk }

  /// The length of the take, including all of its files.
  package var takeDuration: Duration { takeFrames.duration(at: facts.stream.rate) }

  /// True if the recording went to stdout: it has frames, but no file.
  package var isStream: Bool { facts.path == nil && facts.frames.onDisk > 0 }
}

extension RecordingResult: JSONConvertible {
  /// Reads a reply or a line of the catalogue, or returns nil if a member is missing or its sums
  /// could overflow.
  package init?(json: JSONValue) {
    guard let facts = TakeFacts(json: json, peak: "peak"),
      let word = json["reason"]?.string,
      let reason = EndReason(word: word, hasFile: facts.path != nil),
      let exit = json["exit"].flatMap(Int32.init(json:)),
      let began = json["began"].flatMap(Duration.init(moment:))
    else { return nil }
    self.init(facts, reason: reason, exit: exit, began: began)
    message = json["message"]?.string
    sidecar = json["sidecar"]?.string
    clipped = json["clipped"]?.integer(in: .counts) ?? 0
    series = json["series"]?.string
    delivery = json[DeliveryPlan.key].flatMap(DeliveryPlan.init(json:))
    total = json["total"].flatMap { TakeTotal(json: $0, at: facts.stream.rate) }
    title = json["title"]?.string
    note = json["note"]?.string
    markTexts = json[Self.markTextsKey].flatMap([String].init(json:)) ?? []
  }

  /// The JSON object that is sent and stored. Lengths and levels are derived.
  package var json: JSONValue {
    var members = facts.identity
    members.set("reason", reason.word)
    members.set("exit", exit)
    members.set("message", message)
    members.set("path", facts.path)
    members.set("sidecar", sidecar)
    members.add(facts.source)
    members.set("duration", duration)
    members.add(facts.counts)
    members["peak"] = facts.peak
    members.set("clipped", clipped)
    members.add(facts.size)
    members["began"] = began.moment
    members.set("client", facts.client)
    members.set("segment", facts.segment)
    members.set("series", series)
    members.set(DeliveryPlan.key, delivery)
    members.set("total", total?.json(at: facts.stream.rate))
    members.set("title", title)
    members.set("note", note)
    if !markTexts.isEmpty { members[Self.markTextsKey] = markTexts.json }
    return .object(members)
  }

  /// The key of the texts of the marks. A sidecar has them among its events.
  package static let markTextsKey = "markTexts"
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
  /// The silence lasted as long as `--stop-on-silence` allows.
  case silence
  /// The disk is full or failed.
  case disk
  /// The device was disconnected or stopped delivering frames.
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
  /// It was cancelled, and its file goes to the trash.
  case discarded
}

extension EndReason {
  /// The word that is stored and shown. It is the same for both ways to cancel.
  package var word: String { isCancelled ? Self.cancelled.rawValue : rawValue }

  /// Whether the recording was cancelled, with or without a file for the trash.
  package var isCancelled: Bool { self == .cancelled || self == .discarded }

  /// Reads a word, or returns nil if it is unknown.
  init?(word: String, hasFile: Bool) {
    self.init(rawValue: word)
    if self == .cancelled, hasFile { self = .discarded }
  }
}

/// The outcome of a take or of a request, as sent and stored in results and refusals.
///
/// The commands exit with the same numbers, and have more of them.
package enum Outcome: Int32, Hashable, Sendable {
  case done = 0
  case failed = 1
  case notFound = 10
  case outputRefused = 13
  case incomplete = 14
  case nothingCaptured = 15
  case permissionDenied = 21
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

  /// The totals of a take with this number of files.
  package init(files: Int, frames: Accounting) {
    self.files = files
    self.frames = frames
  }

  /// Replaces the frame counts of one file after a check found different ones.
  package mutating func exchange(_ old: Accounting, for new: Accounting) {
    frames.captured += new.captured - old.captured
    frames.lost += new.lost - old.lost
    frames.discarded += new.discarded - old.discarded
    frames.filled += new.filled - old.filled
  }
}

extension TakeTotal {
  init?(json: JSONValue, at rate: SampleRate) {
    guard let files = json["files"]?.integer(in: .ordinals),
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
