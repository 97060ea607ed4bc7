internal import Audio
internal import Control
internal import Devices
internal import Files
internal import Linux
internal import Permission
internal import Store
internal import Takes

extension Failure {
  /// The message, the advice and the exit code for a take that could not begin or continue.
  init(_ error: TakeError) {
    switch error {
    case .nameless: self.init(.usage, "the recording has no valid name", advice: "give --name")
    case .unknownClient(let name):
      self.init(.usage, "\(quoted(name)) is not a valid client name")
    case .nameInUse(let name, let location, let path): self.init(inUse: name, location, path)
    case .diskFloor(let path, let free, let floor):
      self.init(
        .outputRefused, "cannot record to", on: path,
        why: "\(ByteCount(free)) free on that disk, less than --min-free \(ByteCount(floor))",
        advice: "make room, record to another disk, or give a lower --min-free")
    case .ending(let name):
      self.init(.notFound, "\(quoted(name.text)) is already ending")
    case .noFiles:
      self.init(.usage, "a recording to stdout has no files, so it cannot be split")
    case .unknownRequest(let verb):
      self.init(.usage, "a recording does not know the request \(quoted(verb))")
    case .noFirstFrame(let device, let cause):
      let words: String? =
        if case .deviceStalled = cause { nil } else { cause.flatMap(ProgramHost().words) }
      self.init(
        cause?.reason == .disk ? .outputRefused : .device, "cannot record from", on: device,
        why: words ?? "it delivered no audio")
    case .captureEnded(let device, let cause):
      self.init(
        .device, "cannot record from", on: device,
        why: ProgramHost().words(for: cause) ?? "it stopped delivering audio")
    case .endedBeforeFirstFrame(let words):
      self.init(.nothingCaptured, "the recording ended before its first frame: " + words)
    case .output(let path, let obstacle): self.init(path, obstacle)
    case .channels(let device, let shortage, let available):
      self.init(device, shortage, available)
    case .device(_, let cause):
      self.init(.device, "\(cause)", advice: cause.advice(for: .capture))
    case .deviceSilent(let name, let patience): self.init(unanswered: name, patience)
    case .stoppedBeforeOpen(let name):
      self.init(.nothingCaptured, "stopped before \(quoted(name)) was open; nothing was recorded")
    case .permission(let obstacle): self.init(obstacle)
    case .tap(let name, let obstacle): self.init(name, obstacle)
    case .recovery(let part, let obstacle): self.init(recovering: part, obstacle)
    }
  }

  private init(_ name: SessionName, _ obstacle: TapObstacle) {
    let recording = "the recording \(quoted(name.text))"
    switch obstacle {
    case .readers(let count):
      self.init(
        .failed, "\(count) programs are already reading \(recording)",
        advice: "end one of these programs, and try again")
    case .descriptors:
      self.init(
        .failed,
        "no further program can read \(recording): the limit of open files of its process is too low",
        advice: "allow more open files before the next start: \"ulimit -n 256\"")
    case .noTrack(let track, let names):
      self.init(
        .notFound, "\(recording) has no track \(quoted(track))",
        advice: names.isEmpty
          ? "it has only one device; leave out --track"
          : "it has \(alternatives(names.map(quoted), "and"))")
    case .mixed:
      self.init(
        .usage, "\(recording) is a mix of its tracks, so no single track can be read",
        advice: "leave out --track")
    case .silenced(let track, let loss):
      let code: ExitCode =
        loss.reason == .expired ? .expiredWhileRecording : .revokedWhileRecording
      self.init(
        code, ProgramHost().words(for: loss, silencing: [track]), advice: "leave out --track")
    }
  }

  private init(_ path: String, _ obstacle: OutputObstacle) {
    var advice: String?
    let why: String
    switch obstacle {
    case .taken(let name):
      self = name.failure(path)
      return
    case .inUse(let name?, let host):
      let hostPhrase = host.map { " on \(quoted($0.name))" } ?? ""
      why = "the recording \(quoted(name))\(hostPhrase) is writing to it"
      let stop = host == nil ? stopCommand(name) : "recorder stop \(name)"
      advice = "choose another name, or stop that recording with \"\(stop)\"" + hostPhrase
    case .inUse(nil, _):
      why = "another recording is writing to it"
      advice = "choose another name"
    case .nameTooLong(let most):
      why = "the file name is too long; the longest has \(most) bytes"
      advice = "choose a shorter name"
    case .failed(let cause):
      why = "\(cause)"
      advice = Errno.outputAdvice(for: cause)
    }
    let code: ExitCode = if case .inUse = obstacle { .alreadyRecording } else { .outputRefused }
    self.init(code, "cannot record to", on: path, why: why, advice: advice)
  }

  private init(inUse name: SessionName, _ location: RecordingLocation?, _ path: String?) {
    var advice = ["stop it with \"\(stopCommand(name.text))\", or choose another --name"]
    if case .host(let host) = location {
      advice = [
        "run \"recorder stop \(name.text)\" there to stop it, or choose another --name",
        "if \(quoted(host)) will never run again: \"recorder recover --from \(printable(host))\"",
      ]
    }
    self.init(
      .alreadyRecording,
      "already recording" + (path.map { " to \(quoted($0))" } ?? "")
        + " under the name \(quoted(name.text))" + (location.map { " (\($0.words))" } ?? ""),
      advice: advice)
  }

  private init(_ device: String, _ shortage: TakeError.ChannelShortage, _ available: ChannelCount) {
    let lack =
      switch shortage {
      case .selected(let channel): "has no channel \(channel)"
      case .wanted(let channels): "does not support \(channels)"
      }
    self.init(
      .device, "\(quoted(device)) \(lack): it has \(counted(available.value, "channel"))",
      advice: "choose other --channels or --select")
  }

  private init(_ obstacle: PermissionObstacle) {
    switch obstacle {
    case .refused(let refusal):
      let unaudited = refusal.unaudited.map { [$0.startWarning] } ?? []
      let phrasing = MicrophoneAccess.phrasing
      let decision = refusal.situation.decide()
      let denied = accessWords(Set(refusal.situation.deciding.map(\.service)))
      self.init(
        decision.exitCode, "\(denied) denied: " + phrasing.cause(decision, of: refusal.account),
        advice: phrasing.advice(in: refusal.situation) + unaudited)
    case .auditRequired(let file, let cause):
      self.init(
        .permissionRestricted, "recording denied: cannot write to the permission log: \(cause)",
        advice: "\(quoted(file)) requires an entry in the permission log for every recording")
    }
  }
}

extension Failure {
  private init(recovering part: String, _ obstacle: RecoveryObstacle) {
    let (unchanged, kept) = ("the file was not changed", "the file was kept")
    switch obstacle {
    case .live(let writer, let location): self.init(writing: part, writer, location)
    case .foreignOwner(let user):
      self.init(unrecovered: part, "it belongs to user \(user)", advice: unchanged)
    case .severalNames(let count):
      self.init(
        unrecovered: part, "it has \(count) hard links, and a repair would change all of them",
        advice: unchanged)
    case .gone: self.init(unrecovered: part, "it no longer exists", .notFound)
    case .notAFile: self.init(unrecovered: part, otherKind(of: part), .notASound)
    case .unopened(let errno):
      self.init(
        unrecovered: part, "\(errno)", advice: errno == .notPermitted ? unchanged : nil)
    case .unread(let reason):
      self.init(
        unrecovered: part, reason ?? SoundReading.broken, .notASound, advice: unchanged)
    case .unknownFormat:
      self.init(
        unrecovered: part, "\(RepairObstacle.foreignHeader)", .notASound, advice: unchanged)
    case .unknownSamples:
      self.init(
        unrecovered: part, "its sample format is unknown", .notASound,
        advice: "raw samples need no repair: give the file a name that ends in .raw")
    case .unrepaired(let cause):
      let isTorn = cause.errno == .noSpace || cause.errno == .inputOutput
      self.init(
        unrecovered: part, "\(cause)", isTorn ? .incomplete : .outputRefused, advice: kept)
    case .unsaved(let reason): self.init(unrecovered: part, reason)
    }
  }

  private init(
    unrecovered part: String, _ why: String, _ code: ExitCode = .outputRefused,
    advice: String? = nil
  ) {
    self.init(code, "cannot recover", on: part, why: why, advice: advice)
  }

  /// The failure for a part that is still being recorded. `writer` is nil if the session that
  /// records the part is not known.
  private init(writing part: String, _ writer: SessionRecord?, _ location: RecordingLocation) {
    let who = writer.map { "\(quoted($0.name)) (\(location.words))" } ?? "another process"
    var advice =
      writer.map { ["\"\(stopCommand($0.name))\" ends that recording and saves its file"] } ?? []
    if case .host(let host) = location, let writer {
      advice = [
        "run \"recorder stop \(writer.name)\" there to stop and save it",
        "if \(quoted(host)) will never run again: \"recorder recover --from \(printable(host))\"",
      ]
    }
    self.init(
      .alreadyRecording, "\(who) is writing to \(quoted(part)), so it was not changed",
      advice: advice)
  }
}
