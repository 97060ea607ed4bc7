internal import Audio
internal import Control
internal import Permission

/// The refusals for a program that has no texts of its own. The sentences are short, because a
/// reply is one line of limited length.
extension Refusal {
  /// Creates the refusal of a request that failed with `error`.
  init(plain error: any Error) {
    switch error {
    case let error as TakeError: self.init(plain: error)
    case is MarkTextFlaw:
      self.init(.usage, "the text of a mark must be one line of at most \(MarkText.longest) bytes")
    case is StoreFailure:
      self.init(.permissionUnusable, "the permission files cannot be used: \(error)")
    default: self.init(.failed, "the request failed: \(error)")
    }
  }

  private init(_ outcome: Outcome, _ message: String) {
    self.init(exit: outcome.rawValue, message)
  }

  private init(plain error: TakeError) {
    switch error {
    case .ending(let name): self.init(.notFound, "the recording \(name.text) is already ending")
    case .noFiles: self.init(.usage, "a recording without a file cannot be split")
    case .output: self.init(.outputRefused, "the next file cannot be created")
    case .unknownRequest: self.init(.usage, "unknown request")
    case .unknownClient: self.init(.usage, "the client name is invalid")
    case .permission(.refused(let refusal)): self.init(refusal.situation.decide())
    case .permission(.auditRequired(let file, _)):
      self.init(
        .permissionRestricted, "\(file) requires the permission log, which cannot be written")
    case .tap(let name, let obstacle):
      self.init(obstacle.outcome, "the recording \(name.text) cannot be read: \(obstacle.words)")
    // These errors occur during a start or a recovery, so no request causes them.
    case .nameless, .nameInUse, .diskFloor, .noFirstFrame, .captureEnded, .endedBeforeFirstFrame,
      .channels, .device, .deviceSilent, .stoppedBeforeOpen, .recovery:
      self.init(.failed, "the request failed")
    }
  }

  private init(_ decision: Decision) {
    let access = "access to \(decision.service == .systemAudio ? "system audio" : "the microphone")"
    switch decision.status {
    case .notDetermined:
      self.init(.permissionNotDetermined, "\(access) has not been decided")
    case .restricted: self.init(.permissionRestricted, "an administrator forbids \(access)")
    case .denied where decision.isUntrusted:
      self.init(.permissionUnusable, "\(access) is denied: the permission files cannot be trusted")
    case .denied, .authorized: self.init(.permissionDenied, "\(access) is denied")
    }
  }
}

extension TapObstacle {
  fileprivate var outcome: Outcome {
    switch self {
    case .readers, .descriptors: .failed
    case .noTrack: .notFound
    case .mixed: .usage
    case .silenced(_, let loss): loss.outcome
    }
  }

  /// The reason, as the second half of a sentence about the recording.
  package var words: String {
    switch self {
    case .readers(let count): "\(count) programs are reading it, which is the limit"
    case .descriptors: "the limit of open files of its process is too low"
    case .noTrack(_, let names) where names.isEmpty: "it has no tracks with names"
    case .noTrack(_, let names):
      "it has no track of that name; its \(names.count == 1 ? "track is" : "tracks are") "
        + names.joined(separator: ", ")
    case .mixed: "it is a mix of its tracks"
    case .silenced: "the track is silent, because its permission ended"
    }
  }
}
