package import Control
internal import Audio
internal import Linux
internal import Recording

/// The state of a session and its result, as its clients read them.
extension SessionController {
  /// The present state.
  package var status: RecordingStatus {
    let progress = take.recording.progress
    var status = RecordingStatus(
      identifier: take.plan.identifier, name: take.name.text, state: state,
      process: Environment.processIdentifier, path: take.place?.path,
      device: take.plan.capture.device, stream: take.input, format: take.plan.output.format)
    status.file = take.output
    status.frames = progress.frames
    // The writer may wait for the disk, and frames lost meanwhile count already.
    status.frames.lost = max(progress.frames.lost, take.recording.lost)
    status.gaps = Array(progress.gaps.suffix(RecordingStatus.mostGaps))
    status.level = progress.level
    status.highestPeak = progress.highestPeak
    status.bytes = progress.bytes
    status.marks = progress.marks
    if progress.segment > 1 || take.plan.output.split != nil { status.segment = progress.segment }
    status.freeSeconds = freeSeconds
    status.client = take.plan.client
    status.warnings = warnings.map(host.words)
    return status
  }

  /// The result of the recording, before its file is ended.
  var result: RecordingResult {
    let progress = take.recording.progress
    var result = RecordingResult(
      identifier: take.plan.identifier, name: take.name.text,
      reason: ending?.cause.reason ?? .stopped, exit: 0, device: take.plan.capture.device,
      stream: take.input, format: take.plan.output.format, frames: progress.frames,
      began: take.began)
    result.file = take.output
    result.message =
      ending.flatMap { host.words(for: $0.cause) } ?? neverTriggered.flatMap(host.words)
    result.gaps = Array(progress.gaps.suffix(RecordingStatus.mostGaps))
    result.highestPeak = progress.highestPeak
    result.clipped = progress.clipped
    result.bytes = progress.bytes
    result.marks = progress.marks
    result.client = take.plan.client
    if result.reason == .closedOutput { result.discardUndelivered() }
    result.exit = outcome(of: result).rawValue
    return result
  }

  /// The result where the reader of stdout has stopped reading, with the frames that it did not get
  /// as lost.
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
    result.exit = outcome(of: result).rawValue
    return result
  }

  private var neverTriggered: ResultRemark? {
    isArmed ? take.plan.voice.map(ResultRemark.neverTriggered) : nil
  }

  private var state: RecordingStatus.State {
    if ending != nil { return .finishing }
    if take.recording.captured == 0 { return .starting }
    if isPaused { return .paused }
    return isArmed ? .armed : .recording
  }

  private func outcome(of result: RecordingResult) -> Outcome {
    switch result.reason {
    case .permission: return .revokedWhileRecording
    case .expired: return .expiredWhileRecording
    case .cancelled: return .nothingCaptured
    case _ where result.frames.onDisk == 0: return .nothingCaptured
    case .disk, .device, .interrupted: return .incomplete
    case .stopped, .duration, .size, .silence, .split, .closedOutput:
      let isWhole = result.frames.lost == 0 || take.plan.toleratesGaps
      return isWhole && result.message == nil ? .done : .incomplete
    }
  }

  /// The time until the free space reaches its limit.
  private var freeSeconds: Double? {
    freeBytes.map { free in
      Double(max(0, free - take.plan.limits.free)) / Double(take.output.bytesPerSecond)
    }
  }

  /// The current warnings.
  package var warnings: [SessionWarning] {
    let progress = take.recording.progress
    let lost = take.recording.lost
    // A writer that is behind means a slow disk; the final count of lost frames is the writer's.
    let isBehind = progress.frames.captured != take.recording.captured
    var warnings = SessionWarning.all(
      about: progress, lost: isBehind ? lost : progress.frames.lost, at: take.input.rate,
      secondsFree: freeSeconds)
    if case .file(let series) = take.target, !series.changedFiles.isEmpty {
      warnings.append(.changed(series.changedFiles))
    }
    let absence = (lost - progress.frames.lost).duration(at: take.input.rate)
    if !isBehind, absence >= .seconds(1) { warnings.append(.away(absence)) }
    return warnings
  }
}

extension RecordingResult {
  /// Counts frames after the reader of stdout has closed it as discarded, and not as lost.
  fileprivate mutating func discardUndelivered() {
    guard let last = gaps.last, last.cause == .disk else { return }
    gaps.removeLast()
    frames.lost -= last.length
    frames.captured += last.length
    frames.discarded += last.length
  }
}
