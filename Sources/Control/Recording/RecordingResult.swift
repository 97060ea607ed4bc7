package import Audio
package import JSON
internal import Linux

/// The result of a recording or of one of its files. After the session has ended, the result of a
/// recording stays on the disk until a command has reported it.
@dynamicMemberLookup
package struct RecordingResult: Hashable, Sendable {
  /// The facts about the file, or about the whole take if the take has at most one file.
  package var facts: TakeFacts
  /// The reason why the recording or this file ended.
  package var reason: EndReason
  /// The exit code for `stop` and `wait`.
  package var exit: Int32
  /// A message about the faults, or nil if there were none.
  package var message: String?
  /// The sidecar of the file, or nil if none was written.
  package var sidecar: String?
  /// The number of clipped samples.
  package var clipped = 0
  /// The time since 1970 at which the first frame was captured.
  package var began: Duration
  /// The value of `ended`, or nil if only the frames show when the file ended.
  private var end: Duration?
  /// The path that identifies the series of the file: the argument FILE as it was typed, made
  /// absolute.
  package var series: String?
  /// The delivery of the file, which is pending or done. Nil if the file is not delivered to a
  /// program.
  package var delivery: DeliveryPlan?
  /// The number of older files of the series that retention deleted during the take.
  package var deletedOlder = 0
  /// The files that the recording replaced, by their paths in the trash.
  package var replacedFiles: [String] = []
  /// The totals of the take if this file is the last of several files, otherwise nil.
  package var total: TakeTotal?
  /// The title, or nil if there is none.
  package var title: String?
  /// The comment, or nil if there is none.
  package var note: String?
  /// The texts of all marks with a text, in order.
  package var markTexts: [String] = []

  /// Creates a result without a file. The caller sets the other members later.
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

  /// The size of the file at `path` in bytes. In contrast, `bytes` includes the files of all
  /// tracks.
  package var fileBytes: Int64 { facts.tracks.first { $0.file != nil }?.bytes ?? facts.bytes }

  /// The paths of the files: one path, one path for each track, or none.
  package var files: [String] { facts.files }

  /// The length of the file.
  package var duration: Duration { facts.frames.onDisk.duration(at: facts.stream.rate) }

  /// The time since 1970 at which the recording or this file ended. If it was not set, as for a
  /// recovered file, it is computed from the frames.
  package var ended: Duration {
    get { end ?? began + facts.frames.elapsed.duration(at: facts.stream.rate) }
    set { end = newValue }
  }

  /// The number of frames in all files of the take together, at the rate of the device.
  package var takeFrames: FrameCount { (total?.frames ?? facts.frames).onDisk }

  /// The number of frames in all files of the take together, at the rate of the files.
  package var writtenFrames: FrameCount {
    let rate = facts.stream.rate
    return takeFrames.converted(from: rate, to: facts.file?.rate ?? rate)
  }

  /// The length of the take, including all of its files.
  package var takeDuration: Duration { takeFrames.duration(at: facts.stream.rate) }

  /// Whether the peak and the clipped samples are known. They are unknown for a recovered file,
  /// because the recovery does not measure them.
  package var isMeasured: Bool { reason != .interrupted }

  /// Whether the recording went to stdout: there is no file, and either stdout failed, or the
  /// recording has frames that were not deleted.
  package var isStream: Bool {
    let isRefused = reason == .closedOutput || exit == Outcome.outputRefused.rawValue
    let hasFrames = facts.frames.onDisk > 0 && reason != .cancelled
    return facts.path == nil && (hasFrames || isRefused)
  }
}

extension RecordingResult: JSONMembers {
  /// A placeholder result. Reading JSON replaces its members.
  package static var blank: RecordingResult {
    RecordingResult(.blank, reason: .stopped, exit: 0, began: .zero)
  }

  /// Lists the members of the result in a reply or in a line of the catalogue.
  package mutating func list(in form: inout JSONForm) {
    form.member("id", &facts.identifier)
    form.member("name", &facts.name)
    form.member("reason", &reason)
    form.member("exit", &exit)
    form.member("message", &message)
    form.member("path", &facts.path)
    // In JSON, `cancelled` and `discarded` have the same word. Only a discarded take has a path.
    if reason == .cancelled, facts.path != nil { reason = .discarded }
    form.member("sidecar", &sidecar)
    facts.listSource(in: &form)
    form.derived("duration", duration)
    facts.listCounts(in: &form)
    if isMeasured {
      form.member("peak", amplitude: &facts.highestPeak)
      form.member("clipped", &clipped, in: .counts)
    }
    facts.listSize(in: &form)
    form.member("began", &began, Duration.init(moment:), \.moment)
    form.member("ended", &end, or: .some(nil), Duration.init(moment:)) { $0?.moment }
    form.member("client", &facts.client)
    form.member("segment", &facts.segment, in: .ordinals)
    form.member("series", &series)
    form.member(DeliveryPlan.key, &delivery)
    form.member("deletedOlder", &deletedOlder, or: 0)
    form.member("replacedFiles", &replacedFiles, or: [])
    let rate = facts.stream.rate
    form.member("total", &total, or: .some(nil), TakeTotal.init(json:)) { $0?.json(at: rate) }
    form.member("title", &title)
    form.member("note", &note)
    form.member(Self.markTextsKey, &markTexts, or: [])
  }

  /// The destination of the audio in a sentence: the quoted file, `stdout` or `no file`.
  package var destination: String {
    facts.path.map(PrintableText.quoted) ?? (isStream ? "stdout" : "no file")
  }

  /// The key of `markTexts`. A sidecar does not have this key, because the events in the sidecar
  /// contain the texts.
  package static let markTextsKey = "markTexts"
}

/// The reason why a recording ended.
package enum EndReason: String, Hashable, Sendable {
  /// A command, a key, a signal or the hosting program stopped the recording.
  case stopped
  /// The duration limit was reached.
  case duration
  /// The size limit was reached.
  case size
  /// The take continues in another file.
  case split
  /// The sound was silent for the time that `--stop-on-silence` sets.
  case silence
  /// The disk is full or failed, its free space fell below the limit, or another program removed or
  /// replaced the file.
  case disk
  /// The device, or the device of a required track, was disconnected or stopped delivering frames.
  case device
  /// The access to the microphone or to system audio was revoked or reset, or a policy forbids it.
  case permission
  /// The access to the microphone or to system audio expired.
  case expired
  /// The program that reads the standard output closed it.
  case closedOutput
  /// The process died. The frames on the disk were recovered later.
  case interrupted
  /// The recording was cancelled, and no file was kept.
  case cancelled
  /// The recording was cancelled, and its file goes to the trash.
  case discarded
}

extension EndReason {
  /// The word to store and to show. It is the same for `cancelled` and `discarded`.
  package var word: String { isCancelled ? Self.cancelled.rawValue : rawValue }

  /// Whether the reason is `cancelled` or `discarded`.
  package var isCancelled: Bool { self == .cancelled || self == .discarded }

  /// The reason as a clause. Failures of disks and devices also have a message.
  package var words: String {
    switch self {
    case .stopped, .split: "stopped"
    case .duration: "--duration was reached"
    case .size: "the size limit was reached"
    case .silence: "--stop-on-silence was reached"
    case .disk: "the file could not be written"
    case .device: "the device failed or was disconnected"
    case .permission: "the permission was revoked"
    case .expired: "the permission expired"
    case .closedOutput: "the program reading the pipe closed it"
    case .interrupted: "the recording process died"
    case .cancelled: "cancelled and deleted"
    case .discarded: "cancelled"
    }
  }
}

extension EndReason: JSONConvertible {
  /// The `word` as JSON.
  package var json: JSONValue { .string(word) }
}

/// The exit codes in results and refusals.
///
/// Commands exit with these codes, and with further codes.
package enum Outcome: Int32, Hashable, Sendable {
  case done = 0
  case failed = 1
  case notFound = 10
  case outputRefused = 13
  case incomplete = 14
  case nothingCaptured = 15
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
  /// The number of marks in all files together.
  package var marks: Int

  /// The totals of a take with this number of files.
  package init(files: Int, frames: Accounting, marks: Int) {
    self.files = files
    self.frames = frames
    self.marks = marks
  }

  /// Replaces the frame counts of one file in the totals with the counts that a check has found.
  package mutating func exchange(_ old: Accounting, for new: Accounting) {
    frames.captured += new.captured - old.captured
    frames.lost += new.lost - old.lost
    frames.discarded += new.discarded - old.discarded
    frames.early += new.early - old.early
    frames.late += new.late - old.late
    frames.filled += new.filled - old.filled
  }
}

extension TakeTotal {
  init?(json: JSONValue) {
    guard let files = json["files"]?.integer(in: .ordinals),
      let frames = json["frames"].flatMap(Accounting.init(json:)),
      let marks = json["marks"]?.integer(in: .counts)
    else { return nil }
    self.init(files: files, frames: frames, marks: marks)
  }

  func json(at rate: SampleRate) -> JSONValue {
    [
      "files": files.json, "duration": frames.onDisk.duration(at: rate).json,
      "frames": frames.json, "marks": marks.json,
    ]
  }
}
