package import Audio
internal import Control
internal import Linux
internal import Permission

extension TakeHost {
  /// Returns the message about a fault in the result of a take.
  package func words(for fault: TakeFault) -> String {
    switch fault {
    case .file(let cause): "\(cause)"
    case .system(let cause): "\(cause)"
    case .removed(let path): "another program removed \(quoted(path))"
    case .copied: "a complete copy of the file was saved"
    case .unsaved(let cause): "the recorded audio cannot be saved: \(cause.errno)"
    case .nameTaken(let path):
      "another file is called \(quoted(path)), so this file was saved under another name"
    case .untrashed(let path, let cause):
      "the replaced file \(quoted(path)) could not be moved to the trash, and is lost: "
        + refusal(for: cause).message
    case .nameUncertain(let cause): "the name of the file may be lost in a power failure: \(cause)"
    case .damagedInside: "the middle of the file is damaged, and was not changed"
    case .marksUnwritten: "its marks could not be written to the file"
    case .pathUnknown(let path):
      "the directory \(quoted(path)) was renamed, and its new path is not UTF-8 text, "
        + "so the old path is listed"
    case .unlisted(let cause): "it is not in the list of takes: \(cause)"
    case .unlistedFile(let path): "\(quoted(path)) is not in the list of takes"
    case .unqueued(let cause): "the state of the recording cannot be saved: \(cause)"
    case .hidden: "the file keeps its temporary name; \"recorder recover\" completes it"
    case .undeliveredDeleted(let count): undelivered(count)
    }
  }

  /// Returns the message about the cause of an end, or nil if the reason in the result is enough.
  package func words(for cause: EndCause) -> String? {
    switch cause {
    case .fullFile(let format): "the file reached the largest size of \(format) files"
    case .access(let loss): words(for: loss)
    case .diskFloor(let free): "only \(sizeText(free)) are left on the disk"
    case .fileRemoved(let path): words(for: .removed(path))
    case .disk(let words), .device(let words): words
    case .deviceStalled: "the device stopped delivering audio"
    case .absent(let track): "the \(track.source) disappeared"
    case .stopped, .cancelled, .discarded, .duration, .size, .silence, .closedOutput: nil
    }
  }

  /// Returns the message about a remark on a result.
  package func words(for remark: ResultRemark) -> String {
    switch remark {
    case .neverTriggered(let voice):
      let level = voice.start.map { "nothing was louder than \(levelText($0))" }
      let order = voice.isArmed ? "it was not triggered" : nil
      return [level, order].compactMap(\.self).joined(separator: ", and ")
    case .undelivered(let frames, let length):
      return "the program reading stdout stopped reading: \(clock(length)) "
        + "(\(counted(Int(frames.value), "frame"))) were not delivered"
    case .silenced(let tracks, let loss): return words(for: loss, silencing: tracks)
    case .absent(let track, let length):
      return "the \(track.source) was missing for \(clock(length)), and its track is silent there"
    case .interrupted(let track, let length):
      return "\(clock(length)) of the \(track.source) were lost, and its track is silent there"
    case .unheard(let track): return "the \(track.source) played nothing, so its track is silent"
    }
  }

  /// Returns a warning in a status as a sentence.
  package func words(for warning: SessionWarning) -> String {
    switch warning {
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
    case .silenced(let tracks, let loss): words(for: loss, silencing: tracks)
    case .changed(let files): words(changed: files)
    case .deleted(let count): undelivered(count)
    }
  }

  /// Returns the sentence about tracks that became silent, with the reason.
  package func words(for loss: AccessLoss, silencing tracks: [Track]) -> String {
    let names = PrintableText.list(tracks.map { quoted($0.name ?? $0.device) }, "and")
    return "the track\(tracks.count == 1 ? "" : "s") \(names) became silent: \(words(for: loss))"
  }

  /// Returns the label for a cut in the timeline.
  package func label(for cut: TimelineCut) -> String {
    switch cut {
    case .paused(let length): "paused for \(clock(length))"
    case .gap(let gap, let rate): lossText(gap.length, at: rate, cause: gap.cause.rawValue)
    }
  }

  private func words(changed files: [String]) -> String {
    let others = files.count - 1
    let verb = others == 1 ? "was" : "were"
    let rest = others > 0 ? ", as \(verb) \(counted(others, "other file"))" : ""
    return "\(quoted(files.first ?? "")) was changed since it was recorded\(rest): "
      + "--keep does not delete \(others > 0 ? "them" : "it")"
  }

  /// Returns the sentence about files that retention deleted before their delivery, because the
  /// disk was full.
  private func undelivered(_ count: Int) -> String {
    "the disk is full: --keep deleted \(counted(count, "undelivered file"))"
  }
}

extension SessionHost {
  /// Returns a piece of news as a sentence.
  package func words(for news: SessionNews) -> String {
    switch news {
    case .recovery(let news): words(for: news)
    case .warning(let warning): words(for: warning)
    case .startUnaudited(let cause): cause.startWarning
    case .endUnaudited(let cause): cause.endWarning
    case .turnedAway(let peer):
      "refused a connection from process \(peer.process) of user \(peer.user)"
    case .resultLost(let cause, let result):
      "the result of the recording cannot be stored: \(cause); it ended with exit code "
        + "\(result.exit) (\(result.reason.words)), \(result.destination)"
    }
  }

  private func words(for news: RecoveryNews) -> String {
    switch news {
    case .saved(let path, let length):
      "an interrupted recording was saved as \(quoted(path)), \(clock(length))"
    case .left(let path):
      "an interrupted recording is in \(quoted(path)); \"recorder recover\" saves it"
    case .foreign(let path, let owner):
      "\(quoted(path)) belongs to user \(owner), and was not changed"
    case .failed(let error): refusal(for: error).message
    }
  }
}

private func quoted(_ path: String) -> String { PrintableText.quoted(path) }

extension Track {
  /// The device in a sentence: `speaker "output:hdmi"`.
  fileprivate var source: String {
    let kind =
      device.begins(with: "app:")
      ? "program" : Self.recordsSystemAudio(device) ? "speaker" : "microphone"
    return "\(kind) \(quoted(device))"
  }
}
