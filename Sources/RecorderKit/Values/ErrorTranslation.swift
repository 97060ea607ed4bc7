internal import Audio
internal import Control
internal import Decoding
internal import Files
internal import Linux
internal import Permission
internal import Playback
internal import Sounds
internal import Takes

extension RecorderError {
  /// Creates the public error for an error of an internal function.
  init(_ error: any Error) {
    switch error {
    case let error as RecorderError: self = error
    case let error as TakeError: self.init(take: error)
    case let error as SoundError: self.init(sound: error)
    case let error as SoundLibraryError: self.init(error)
    case let error as ControlError: self.init(control: error)
    case let error as SoundFileError: self.init(error)
    case let flaw as MarkTextFlaw:
      self = .invalid("the text cannot be used for a mark: \(flaw.words)")
    case let refusal as DirectoryRefusal: self = .system("the directory \(refusal)")
    case let failure as StoreFailure:
      self = .system("the decision about the microphone cannot be read or stored: \(failure)")
    case let cause as ResamplerError: self = .system("the rate cannot be converted: \(cause)")
    default: self = .system("\(error)")
    }
  }

  private init(take error: TakeError) {
    switch error {
    case .permission(let obstacle): self.init(obstacle)
    case .ending, .endedBeforeFirstFrame, .stoppedBeforeOpen: self = .ended
    case .device(let name, let cause): self = .device(name, "\(cause)")
    case .deviceSilent(let name, let patience):
      self = .device(name, "it did not answer within \(patience.components.seconds) s")
    case .noFirstFrame(let name, let cause):
      let words: String? =
        if case .deviceStalled = cause { nil } else { cause.flatMap(PlainHost().words) }
      self = .device(name, words ?? "it delivered no audio")
    case .captureEnded(let name, let cause):
      self = .device(name, PlainHost().words(for: cause) ?? "it stopped delivering audio")
    case .channels(let name, let shortage, let available):
      self = .device(name, "it has \(available), not \(shortage.words)")
    case .output(let path, let obstacle): self = .file(path, obstacle.words)
    case .diskFloor(let path, let free, let floor):
      self = .file(
        path, "only \(free) bytes are free on its disk, and \(floor) bytes must stay free")
    case .recovery(let path, let obstacle): self = .file(path, "\(obstacle)")
    case .nameInUse(let name, _, _):
      self = .invalid(
        "a recording called “\(name.text)” is already running; give this one another name")
    case .unknownClient(let name): self = .invalid("“\(name)” is not a valid client name")
    case .nameless: self = .invalid("the recording has no valid name")
    case .noFiles: self = .invalid("a recording without a file cannot be split")
    case .tap(let name, let obstacle):
      self = .invalid("“\(name.text)” cannot be read: \(obstacle.words)")
    case .unknownRequest(let verb): self = .invalid("unknown request “\(verb)”")
    }
  }

  private init(_ obstacle: PermissionObstacle) {
    switch obstacle {
    case .refused(let refusal):
      self = .notAuthorized(
        .init(refusal.situation.decide().status), client: refusal.situation.client.name,
        toSystemAudio: refusal.situation.decide().service == .systemAudio)
    case .auditRequired(let file, let failure):
      self = .system(
        "the policy \(file) requires the permission log, which cannot be written: \(failure)")
    }
  }

  /// The error of a file format that does not support the stream, or of the sound file library.
  private init(_ error: SoundFileError) {
    switch error {
    case .unsupported(let format, let what):
      self = .format(
        "\(what) in \(format)",
        alternatives: what.alternatives(in: format, format.mostRecordedChannels))
    case .library("dlopen", _, _, _):
      self = .system("libsndfile cannot be loaded: \(error); install libsndfile1")
    default: self = .system("\(error)")
    }
  }
}

extension UnsupportedStream {
  /// Returns the values of the same kind that a format supports, with at most `most` channels.
  fileprivate func alternatives(in format: FileFormat, _ most: Int) -> [String] {
    switch self {
    case .sample: format.samples.map { "\($0)" }
    case .channels: ["1 to \(most) channels"]
    case .rate: format.rates.map { $0.map { "\($0) Hz" } } ?? ["up to \(format.highestRate) Hz"]
    }
  }
}

extension TakeError.ChannelShortage {
  fileprivate var words: String {
    switch self {
    case .selected(let channel): "channel \(channel)"
    case .wanted(let count): "\(count)"
    }
  }
}

extension OutputObstacle {
  fileprivate var words: String {
    switch self {
    case .taken(.file): "the file already exists"
    case .taken(.directory): "it is a directory"
    case .taken(.symbolicLink): "it is a symbolic link"
    case .taken(.other): "it is not a regular file"
    case .inUse(let name, _): "the recording “\(name ?? "unknown")” is writing to it"
    case .nameTooLong(let most): "its name has more than \(most) bytes"
    case .failed(let cause): "\(cause)"
    }
  }
}

extension MarkTextFlaw {
  fileprivate var words: String {
    switch self {
    case .severalLines: "it has several lines"
    case .tooLong(let bytes): "it has \(bytes) bytes, and the limit is \(MarkText.longest)"
    }
  }
}

extension RecorderError {
  /// The error of a player.
  private init(sound error: SoundError) {
    switch error {
    case .notFound(let cause): self.init(cause)
    case .ambiguous(let name, _): self = .invalid("several sounds are called “\(name)”")
    case .unreadable(let name, let cause), .brokenOff(let name, let cause):
      self.init(decoding: name, cause)
    case .unopened(let device, let cause): self = .device(device, "\(cause)")
    case .unanswered(let device, let limit):
      self = .device(device, "it did not answer within \(limit.components.seconds) s")
    case .ended(let device, let end): self = .device(device, "it \(end)")
    case .noVoice(let name, let cause): self = .system("\(name) cannot be played now: \(cause)")
    case .system(let cause): self = .system("the system cannot play a sound: \(cause)")
    }
  }

  private init(_ cause: SoundLibraryError) {
    switch cause {
    case .unknown(let name, _):
      self = RecorderError(
        .unknownSound, subject: name, reason: "“recorder sound list” lists all sounds")
    case .invalid(let name, let flaw):
      self = .invalid("“\(name)” is not the name of a sound: \(flaw)")
    case .unusable(let path, let cause): self = .file(path, "\(cause.errno)")
    case .notRegular(let path): self = .file(path, "it is not a regular file")
    }
  }

  private init(decoding name: String, _ cause: any Error) {
    switch cause {
    case let cause as SoundFileError: self.init(cause, of: name)
    case let problem as SoundProblem:
      self = .notASound(
        name,
        problem.reason + (problem.isConvertible ? "; FLAC, Opus, WAV and MP3 are decoded" : ""))
    case let cause as DecodingError: self = .notASound(name, "\(cause)")
    default: self = .system("\(name) cannot be decoded: \(cause)")
    }
  }
}

extension RecorderError {
  /// The error of a request to a recording of another program.
  private init(control error: ControlError) {
    switch error {
    case .notRunning, .closed: self = .ended
    case .refused(let refusal): self.init(refusal)
    default: self = .system("the recording did not respond: \(error)")
    }
  }

  /// The error of a request that a recording of another program refused.
  init(_ refusal: Refusal) {
    let code: Code =
      switch Outcome(rawValue: refusal.exit) {
      case .permissionNotDetermined: .accessNotDetermined
      case .permissionRestricted: .accessRestricted
      case .permissionDenied, .permissionUnusable, .revokedWhileRecording, .expiredWhileRecording:
        .accessDenied
      case .usage, .notFound: .invalidArgument
      default: .systemFailure
      }
    self.init(code, reason: refusal.message)
  }
}

extension RecorderError {
  /// The error of a file that could not be read or written.
  init(_ error: any Error, of path: String, isWriting: Bool = false) {
    switch error {
    case let cause as SystemError: self = .file(path, "\(cause.errno)")
    case SoundFileError.system(let cause): self = .file(path, "\(cause.errno)")
    case SoundFileError.library("dlopen", _, _, let words): self = .system(words)
    case SoundFileError.notRegular: self = .file(path, "it is not a regular file")
    case SoundFileError.unsupported(let format, let what) where isWriting:
      self = .format(
        "\(format) with \(what)", alternatives: what.alternatives(in: format, format.mostChannels))
    case let error as SoundFileError where isWriting: self = .file(path, error.reason)
    case let error as SoundFileError:
      var reason = error.reason
      if case .notDecoded(_, _, isConvertible: true) = error {
        reason += "; FLAC, Opus, WAV and MP3 are decoded"
      }
      self = .notASound(path, reason)
    default: self.init(error)
    }
  }
}
