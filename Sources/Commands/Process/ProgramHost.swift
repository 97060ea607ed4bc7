internal import Audio
internal import Control
internal import Linux
internal import Permission
internal import Takes

/// The program as the host of takes: its texts, its warnings on stderr and its hooks.
protocol ProgramTakeHost: TakeHost {}

/// The host of a take outside of a session.
struct ProgramHost: ProgramTakeHost {}

extension ProgramTakeHost {
  var trashesReplaced: Bool { true }

  func words(for fault: TakeFault) -> String {
    switch fault {
    case .removed(let path): "another program removed \(quoted(path))"
    case .nameTaken(let path): "\(quoted(path)) is another file, so this file has another name"
    case .untrashed(let path, let cause):
      "the replaced file \(quoted(path)) could not be moved to the trash, and is lost: "
        + Failure(changing: nil, cause).message.fact
    case .pathUnknown(let path):
      "the directory \(quoted(path)) was renamed, and its new path is not UTF-8 text, "
        + "so the old path is listed"
    case .unlistedFile(let path): "\(quoted(path)) is not in the list of takes"
    case .unqueued(let cause):
      "it keeps its temporary name, because the state of the recording cannot be saved: \(cause); "
        + "\"recorder recover\" completes it"
    case .undeliveredDeleted(let count): undelivered(count)
    default: PlainHost().words(for: fault)
    }
  }

  func words(for cause: EndCause) -> String? {
    switch cause {
    case .access(let loss): loss.words
    case .diskFloor(let free): "only \(ByteCount(free)) are left on the disk"
    case .fileRemoved(let path): words(for: .removed(path))
    case .absent(let track): "the \(track.source) disappeared"
    default: PlainHost().words(for: cause)
    }
  }

  func words(for remark: ResultRemark) -> String {
    switch remark {
    case .neverTriggered(let voice):
      let level = voice.start.map {
        "nothing was louder than \(levelText($0))"
      }
      let order = voice.isArmed ? "it was not triggered" : nil
      return [level, order].compactMap(\.self).joined(separator: ", and ")
    case .undelivered(let frames, let length):
      return "the program reading stdout stopped reading: \(clock(length)) "
        + "(\(counted(Int(frames.value), "frame"))) were not delivered"
    case .silenced(let tracks, let loss): return loss.words(silencing: tracks)
    case .absent(let track, let length):
      return "the \(track.source) was missing for \(clock(length)), and its track is silent there"
    case .interrupted(let track, let length):
      return "the \(track.source) lost \(clock(length)), and its track is silent there"
    case .unheard(let track): return "the \(track.source) played nothing, so its track is silent"
    }
  }

  func words(for warning: SessionWarning) -> String { warning.words }

  func refusal(for error: any Error) -> Refusal { Refusal(Failure(explaining: error)) }

  func label(for cut: TimelineCut) -> String {
    switch cut {
    case .paused(let length): "paused for \(clock(length))"
    case .gap: PlainHost().label(for: cut)
    }
  }

  func report(_ error: any Error) { Console().warn(Failure(explaining: error).message) }

  func reportChanged(_ path: String) {
    Console().warn(
      "\(quoted(path)) was changed since it was recorded, so --keep does not delete it")
  }

  func completed(_ result: RecordingResult, of plan: RecordingPlan) {
    Hook.run(plan.onSegment, at: .segment, result)
  }

  func deliver(_ series: String) { DeliveryCommand.start(for: series) }
}

/// Returns the sentence about files that retention deleted before their delivery, because the disk
/// was full.
private func undelivered(_ count: Int) -> String {
  "the disk is full: --keep deleted \(counted(count, "undelivered file"))"
}

extension AccessLoss {
  /// The reason as a clause.
  var words: String { MicrophoneAccess.phrasing.loss(decision, of: account) }

  /// The tracks that became silent, with the reason.
  func words(silencing tracks: [Track]) -> String {
    let names = alternatives(tracks.map { quoted($0.name ?? $0.device) }, "and")
    return "the track\(tracks.count == 1 ? "" : "s") \(names) became silent: \(words)"
  }
}

extension Track {
  /// The device in a sentence: `speaker "output:hdmi"`.
  fileprivate var source: String {
    let kind =
      device.begins(with: "app:")
      ? "program" : Self.recordsSystemAudio(device) ? "speaker" : "microphone"
    return "\(kind) \(quoted(device))"
  }
}

extension SessionWarning {
  /// The warning as a sentence.
  var words: String {
    switch self {
    case .silence: "only digital silence so far: check the device and its mute switch"
    case .silentTrack(let track):
      "only digital silence so far in the track \(quoted(track.name ?? track.device)): "
        + "check the device and its mute switch"
    case .nothingPlayed: "only silence so far: nothing has been played there"
    case .idle(let track): "the \(track.source) is not playing; its track is silent until it plays"
    case .disk(let seconds):
      "the disk will be full in \(rounded(seconds.rounded(.down), places: 0)) s"
    case .lost(let frames, let last):
      "\(counted(Int(frames.value), "frame")) lost"
        + (last.map { ", the last at \(clock($0))" } ?? "")
    case .away(let absence):
      "the device is disconnected: no audio for \(absence.components.seconds) s"
    case .absent(let track): "the \(track.source) disappeared; its track is silent"
    case .returned(let track): "the \(track.source) is back; its track records again"
    case .unsteady(let track):
      "the clock of the \(track.source) is irregular, or differs by more than 300 ppm from that of "
        + "the first track: the track of this device has short gaps"
    case .silenced(let tracks, let loss): loss.words(silencing: tracks)
    case .changed(let files): Self.words(for: files)
    case .deleted(let count): undelivered(count)
    }
  }

  private static func words(for changed: [String]) -> String {
    let others = changed.count - 1
    let verb = others == 1 ? "was" : "were"
    let rest = others > 0 ? ", as \(verb) \(counted(others, "other file"))" : ""
    return "\(quoted(changed.first ?? "")) was changed since it was recorded\(rest): "
      + "--keep does not delete it"
  }
}

extension Refusal {
  /// Creates the refusal that reports this failure to the other end of a socket.
  init(_ failure: Failure) {
    let advice = failure.message.advice.joined(separator: "\n")
    self.init(
      exit: failure.code.rawValue, failure.message.fact, advice: advice.isEmpty ? nil : advice)
  }
}

extension StoreFailure {
  /// The warning that the start of a recording or a meter is missing in the permission log.
  var startWarning: String { unwritten("the start of the capture") }
  var endWarning: String { unwritten("the end of the capture") }

  /// Returns the warning that an event is missing in the permission log.
  func unwritten(_ event: String) -> String {
    "\(event) could not be written to the permission log: \(self)"
  }
}
