internal import Audio
package import Control
internal import Linux
internal import Recording

/// The state and the result of a session, as its clients receive them.
extension SessionController {
  /// The current state.
  package var status: RecordingStatus {
    let progress = take.recording.progress
    var facts = facts(after: progress)
    facts.path = take.partFile?.path
    take.partFile?.setPaths(in: &facts.tracks)
    // While the writer waits for the disk, it does not count lost frames, but the recording counts
    // them.
    facts.frames.lost = max(progress.frames.lost, take.recording.lost)
    if progress.segment > 1 || take.plan.output.split != nil { facts.segment = progress.segment }
    var status = RecordingStatus(
      facts, state: state, process: Environment.processIdentifier)
    if facts.segment != nil { status.segmentFrames = progress.segmentFrames }
    status.isArmed = isArmed && (status.state == .armed || status.state == .paused)
    if status.isArmed { status.startOnSound = take.plan.voice?.start }
    status.add(take.plan, limits)
    if take.plan.output.replaces { status.replaces = host.trashesReplaced ? .trash : .delete }
    status.level = progress.level
    // While the take is armed, the level is measured for all channels together.
    if status.level != nil, !progress.isArmed { status.channels = progress.channels }
    status.totalClipped = progress.highest.clipped
    status.freeBytes = freeBytes.map { max(0, $0 - take.plan.limits.free) }
    status.accessUntil = accessUntil
    status.freeSeconds = freeSeconds
    status.warnings = warnings.map(host.words)
    return status
  }

  /// The result of the recording before its file is finished.
  var result: RecordingResult {
    let progress = take.recording.progress
    var result = RecordingResult(
      facts(after: progress), reason: ending?.cause.reason ?? .stopped, exit: 0,
      began: progress.triggered?.sinceEpoch ?? take.began)
    result.ended = KernelClock.realTime.now
    let end = ending.flatMap { host.words(for: $0.cause) }
    let armed = isArmed && end == nil ? take.plan.voice.map(ResultRemark.neverTriggered) : nil
    let remarks = [armed] + trackRemarks(result.tracks)
    let words = [end] + remarks.map { $0.map(host.words) }
    if words.contains(where: { $0 != nil }) {
      result.message = words.compactMap(\.self).joined(separator: "; ")
    }
    result.clipped = progress.highest.clipped
    if result.reason == .closedOutput { result.discardUndelivered() }
    result.exit = result.outcome(of: take.plan).rawValue
    for track in result.tracks where track.isProgram && track.peak == .silence {
      let isSilenced = track.ended != nil || track.gaps?.isEmpty == false
      if !isSilenced { result.add(host.words(for: ResultRemark.unheard(track)), .done) }
    }
    return result
  }

  /// The result if the reader of stdout has stopped reading. Frames that the reader did not receive
  /// count as lost.
  var undelivered: RecordingResult {
    var result = result
    guard case .stream(let reader) = take.target else { return result }
    let delivered = reader.delivered.converted(from: take.output.rate, to: take.input.rate)
    let elapsed = take.recording.captured + take.recording.lost
    let captured = delivered + result.frames.discarded - result.frames.filled
    let missing = elapsed - captured - result.frames.lost
    guard missing > 0 else { return result }
    result.frames.captured = captured
    result.frames.lost += missing
    result.gaps.append(Gap(position: delivered, length: missing, cause: .disk))
    result.message = host.words(for: .undelivered(missing, missing.duration(at: take.input.rate)))
    result.exit = result.outcome(of: take.plan).rawValue
    return result
  }

  private func facts(after progress: TakeProgress) -> TakeFacts {
    var facts = take.facts(after: progress)
    for (tracks, loss) in silenced {
      for index in facts.tracks.indices where tracks.contains(index) {
        facts.tracks[index].ended = loss.cause
      }
    }
    return facts
  }

  /// Returns the remarks on tracks that were silent. If the plan tolerates gaps, only tracks that
  /// lost their permission get a remark.
  private func trackRemarks(_ tracks: [Track]) -> [ResultRemark?] {
    let lost = silenced.map { ResultRemark.silenced(take.tracks[$0.tracks], $0.loss) }
    if take.plan.toleratesGaps { return lost }
    let remarks = tracks.flatMap { track -> [ResultRemark] in
      // The cause of the end already names the missing device.
      if case .absent(let other) = ending?.cause,
        other.name?.isSameName(as: track.name ?? "") == true
      {
        return []
      }
      func remark(
        _ cause: Gap.Cause, _ remark: (Track, Duration) -> ResultRemark
      ) -> ResultRemark? {
        let length = (track.gaps ?? []).filter { $0.cause == cause }.map(\.length).reduce(0, +)
        return length > 0 ? remark(track, length.duration(at: take.input.rate)) : nil
      }
      return [
        remark(.disconnected, ResultRemark.absent), remark(.overrun, ResultRemark.interrupted),
      ].compactMap(\.self)
    }
    return lost + remarks
  }

  /// Returns whether a track of the plan has lost its permission.
  func isSilenced(_ track: Track) -> Bool {
    silenced.contains { take.plan.capture.tracks[$0.tracks].contains(track) }
  }

  /// The current state without details.
  package var state: RecordingStatus.State {
    if ending != nil { return .finishing }
    if take.recording.captured == 0 { return .starting }
    if isPaused { return .paused }
    return isArmed ? .armed : .recording
  }

  /// The seconds until the free space reaches its limit, or nil if the free space is unknown.
  var freeSeconds: Double? {
    freeBytes.map { free in
      Double(max(0, free - take.plan.limits.free)) / Double(take.output.bytesPerSecond)
    }
  }

  /// The current warnings.
  package var warnings: [SessionWarning] {
    let progress = take.recording.progress
    let lost = take.recording.lost
    // If the disk is slow, the writer is behind and has not counted all lost frames. A writer that
    // is not behind has counted all lost frames, except those of a device that is still absent.
    let isBehind = progress.frames.captured != take.recording.captured
    var tracks = take.tracks
    tracks.set(progress.trackGaps, most: TakeFacts.mostGaps)
    tracks.set(peaks: progress.highest.channelPeaks)
    var warnings = SessionWarning.all(
      about: progress, of: tracks, lost: isBehind ? lost : progress.frames.lost,
      at: take.input.rate, secondsFree: freeSeconds)
    if case .file(let series) = take.target, !series.changedFiles.isEmpty {
      warnings.append(.changed(series.changedFiles))
    }
    if case .file(let series) = take.target, series.undeliveredDeleted > 0 {
      warnings.append(.deleted(series.undeliveredDeleted))
    }
    let absence = (lost - progress.frames.lost).duration(at: take.input.rate)
    if !isBehind, absence >= .seconds(1) { warnings.append(.away(absence)) }
    warnings += take.absent.map(SessionWarning.absent)
    let isSilent = tracks.set { ($0.peak ?? .silence) == .silence }
    warnings += take.tracks[take.idle.intersection(isSilent)].map(SessionWarning.idle)
    warnings += take.unsteady.map(SessionWarning.unsteady)
    warnings += silenced.map { .silenced(take.tracks[$0.tracks], $0.loss) }
    return warnings
  }
}

extension RecordingResult {
  /// The outcome of a take with this plan.
  fileprivate func outcome(of plan: RecordingPlan) -> Outcome {
    switch reason {
    case .permission: return .revokedWhileRecording
    case .expired: return .expiredWhileRecording
    case .cancelled: return .nothingCaptured
    case .disk where facts.frames.onDisk == 0 && plan.output.path == nil: return .outputRefused
    case _ where facts.frames.onDisk == 0: return .nothingCaptured
    case .disk, .device, .interrupted: return .incomplete
    case .stopped, .discarded, .duration, .size, .silence, .split, .closedOutput:
      let isWhole = facts.frames.lost == 0 || plan.toleratesGaps
      return isWhole && message == nil ? .done : .incomplete
    }
  }

  /// Counts frames as discarded, not as lost, if they came after the reader of stdout closed the
  /// pipe.
  fileprivate mutating func discardUndelivered() {
    guard let last = facts.gaps.last, last.cause == .disk else { return }
    facts.gaps.removeLast()
    facts.frames.lost -= last.length
    facts.frames.captured += last.length
    facts.frames.discarded += last.length
    facts.frames.late += last.length
  }
}

extension RecordingStatus {
  /// Adds the limits of a take. If the free space is the only limit, adds no limit, because every
  /// take has this one.
  fileprivate mutating func add(_ plan: RecordingPlan, _ limits: RecordingLimits) {
    stopOnSilence = plan.voice?.silence
    if stopOnSilence != nil { threshold = plan.voice?.threshold }
    if limits.duration != nil || limits.size != nil { self.limits = limits }
    split = plan.output.split
    keep = plan.output.keep
  }
}
