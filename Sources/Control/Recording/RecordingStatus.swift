package import Audio
package import JSON

/// The state of a session at one moment.
@dynamicMemberLookup
package struct RecordingStatus: Hashable, Sendable {
  /// The states of a recording.
  package enum State: String, Hashable, Sendable {
    case starting
    /// The device is open, but no frame is written until a trigger or a sound starts the take.
    case armed
    case recording, paused, finishing
  }

  /// The action for an existing file that has the name of the take's file. It is carried out at the
  /// end of the take.
  package enum Replacement: String, Hashable, Sendable {
    case trash, delete
  }

  /// The facts about the take at that moment, with the path and the size of the current file.
  package var facts: TakeFacts
  /// The state at that moment.
  package var state: State
  /// The process number of the session.
  package var process: Int32
  /// The level since the last report, or nil while the recording is paused, because a paused
  /// recording does not measure levels.
  package var level: Level? {
    get { state == .paused ? nil : measured }
    set { measured = newValue ?? .silence }
  }
  private var measured = Level.silence
  /// The level of each channel of the file since the last report. Empty if the levels are unknown.
  package var channels: [Level] = []
  /// The number of samples at full scale since the beginning of the take.
  package var totalClipped = 0
  /// The number of frames in the current file if the take has several files, otherwise nil.
  package var segmentFrames: FrameCount?
  /// Whether the take waits for a sound or a trigger. A paused take can also wait.
  package var isArmed = false
  /// The lowest level of a sound that starts the waiting take, or nil if no sound starts it.
  package var startOnSound: Decibels?
  /// The length of silence that ends the take, or nil if silence does not end it.
  package var stopOnSilence: Duration?
  /// The level below which a sound counts as silence, or nil if silence does not end the take.
  package var threshold: Decibels?
  /// The limits of the take, or nil if the user has set none.
  package var limits: RecordingLimits?
  /// The rule for starting new files, or nil if only a request starts a new file.
  package var split: SplitPlan?
  /// The files that retention keeps in the series, or nil if it keeps all files.
  package var keep: KeepPlan?
  /// The action for an existing file that has the name of the take's file, or nil if the take
  /// replaces no file.
  package var replaces: Replacement?
  /// The number of bytes that may still be written to the disk, or nil if unknown.
  package var freeBytes: Int64?
  /// The time since 1970 at which the access ends, or nil if the access has no end.
  package var accessUntil: Duration?
  /// The seconds of recording for which the disk has space, or nil if unknown.
  package var freeSeconds: Double?
  /// The current warnings for the user.
  package var warnings: [String] = []

  /// Creates a status without warnings. The caller sets the other members later.
  package init(_ facts: TakeFacts, state: State, process: Int32) {
    self.facts = facts
    self.state = state
    self.process = process
  }

  /// A fact of the take.
  package subscript<Value>(dynamicMember fact: WritableKeyPath<TakeFacts, Value>) -> Value {
    get { facts[keyPath: fact] }
    set { facts[keyPath: fact] = newValue }
  }
}

extension RecordingStatus: JSONMembers {
  /// A placeholder status. Reading JSON replaces its members.
  package static var blank: RecordingStatus {
    RecordingStatus(.blank, state: .starting, process: 0)
  }

  /// Lists the members of a reply or an event. Levels are in decibels.
  package mutating func list(in form: inout JSONForm) {
    form.member("id", &facts.identifier)
    form.member("name", &facts.name)
    form.member("state", &state)
    form.member("pid", &process, in: 1...Int32.max)
    form.member("path", &facts.path)
    facts.listSource(in: &form)
    form.derived("elapsed", facts.frames.elapsed.duration(at: facts.stream.rate))
    facts.listCounts(in: &form)
    if level != nil { measured.list(in: &form) }
    form.member("highestPeak", amplitude: &facts.highestPeak)
    form.member("levels", &channels, or: [])
    form.member("totalClipped", &totalClipped, in: .counts)
    facts.listSize(in: &form)
    form.member("segment", &facts.segment, in: .ordinals)
    form.member("segmentFrames", &segmentFrames)
    form.member("armed", &isArmed, or: false)
    form.member("startOnSound", &startOnSound, or: .some(nil), Decibels.init(bounded:)) {
      $0?.value.json
    }
    form.member("stopOnSilence", &stopOnSilence)
    form.member("threshold", &threshold, or: .some(nil), Decibels.init(bounded:)) {
      $0?.value.json
    }
    form.member("limits", &limits)
    form.member("split", &split)
    form.member("keep", &keep)
    form.member("replaces", &replaces)
    form.member("freeSeconds", &freeSeconds, or: .some(nil), { $0.number(in: 0...1e15) }) {
      $0?.json
    }
    form.member("freeBytes", &freeBytes, in: .sizes)
    form.member("accessUntil", &accessUntil, or: .some(nil), Duration.init(moment:)) { $0?.moment }
    form.member("client", &facts.client)
    form.member("warnings", &warnings)
  }
}

extension RecordingStatus.State: JSONConvertible {}
extension RecordingStatus.Replacement: JSONConvertible {}
