internal import Audio
internal import Control
internal import Files
internal import Linux
internal import Recording
internal import Store

/// Gives a repaired part its marks, its sidecar, its final name and its line in the catalogue.
struct TakeNaming {
  private let part: InterruptedPart
  private let repair: RepairPlan
  private let recovery: Recovery
  private let store: MachineStore
  private let host: any TakeHost
  private static let largestJournal = 1 << 26

  init(
    _ part: InterruptedPart, _ repair: RepairPlan, _ recovery: Recovery, _ store: MachineStore,
    _ host: any TakeHost
  ) {
    self.part = part
    self.repair = repair
    self.recovery = recovery
    self.store = store
    self.host = host
  }

  /// Publishes the take. The steps are ordered so that the next recovery can continue after a crash
  /// at any of them.
  func publish(_ file: CheckedFile, in directory: borrowing Directory) throws -> RecordingResult {
    let events = events
    let position = (try? directory.status(of: part.name.text)).flatMap { status in
      part.record?.position(ofPart: status)
    }
    var result = result(of: events, at: position)
    result.add(wordsOf: plan(result.format), events)
    if recovery.hasGap { result.add(host.words(for: .damagedInside), .incomplete) }
    if result.format == .wav, part.record != nil || !events.isEmpty {
      let cues = events.compactMap { $0.cue(at: result.stream.rate, host) }
      let tags = plan(result.format).tags(at: WallTime(sinceEpoch: result.began))
      if !mark(file, cues, tags) {
        result.add(host.words(for: .marksUnwritten), .incomplete)
      }
    }
    result.bytes = (try? directory.status(of: part.name.text))?.size ?? file.end
    let isAnnounced = try name(&result, events, in: directory)
    try directory.synchronize()
    do throws(DirectoryRefusal) {
      if isAnnounced {
        try store.announcements.addTake(result)
      } else {
        try store.catalogue.add(result)
      }
    } catch {
      result.add(host.words(for: .unlisted(error)), .incomplete)
    }
    if let delivery = result.delivery { host.deliver(delivery.series) }
    for journal in part.journals { try? Directory(journal.directory).remove(journal.name) }
    return result
  }

  /// Renames the part to the first name that is free for the file and its sidecar. Returns true if
  /// the file was announced.
  private func name(
    _ result: inout RecordingResult, _ events: [PositionedEvent], in directory: borrowing Directory
  ) throws -> Bool {
    var plan = plan(result.format)
    plan.replaces = true
    var attempt = 0
    while true {
      attempt += 1
      let name = TakeName.recovered(part.target, attempt)
      guard (try? directory.status(of: name)) == nil,
        isFree(name + ".json", for: result, in: directory)
      else { continue }
      result.path = directory.path(of: name)
      try? AtomicFile.removeLeftovers(of: name + ".json", in: directory)
      try Sidecar(result, plan, events).write(beside: name, in: directory, &result, host)
      let isAnnounced = try announce(result, in: directory)
      do throws(SystemError) {
        try directory.renameWithoutReplacing(part.name.text, to: name)
        return isAnnounced
      } catch {
        if result.sidecar != nil { try? directory.remove(name + ".json") }
        result.sidecar = nil
        guard error.errno == .exists else { throw error }
      }
    }
  }

  /// Announces the file before it gets its final name. After that no part exists, and the take
  /// could not be found without the announcement. Throws if the failure means that the file would
  /// never be delivered.
  private func announce(
    _ result: RecordingResult, in directory: borrowing Directory
  ) throws -> Bool {
    let status = try directory.status(of: part.name.text)
    do {
      try store.announcements.add(TakeAnnouncement(result, in: part.path, status), status)
      return true
    } catch _ where result.delivery == nil {
      return false
    }
  }

  /// Returns whether the name is free. It also counts as free if it has the sidecar of an earlier
  /// recovery of this take that died.
  private func isFree(
    _ name: String, for result: RecordingResult, in directory: borrowing Directory
  ) -> Bool {
    guard (try? directory.status(of: name)) != nil else { return true }
    guard let file = try? directory.open(name, [.noFollow, .nonBlocking]) else { return false }
    return Sidecar.identifier(in: file) == result.identifier
  }
}

extension TakeNaming {
  private func plan(_ format: FileFormat) -> OutputPlan {
    part.record?.output ?? OutputPlan(path: nil, format: format)
  }

  /// The events of the take, none after its last frame.
  private var events: [PositionedEvent] {
    let journals = part.journals.lazy.compactMap { Self.journal($0.name, in: $0.directory) }
    return PositionedEvent.events(inJournal: journals.first ?? [], upTo: recovery.frames)
  }

  private static func journal(_ name: String, in directory: String) -> [UInt8]? {
    guard let file = try? Directory(directory).open(name, [.noFollow, .nonBlocking]),
      (try? file.status())?.kind == .regular
    else { return nil }
    return try? file.readAll(upTo: largestJournal)
  }

  /// Writes the marks after the samples; returns false if that failed and the file was finished
  /// without them.
  private func mark(_ file: CheckedFile, _ cues: [SoundFileCue], _ tags: SoundFileTags) -> Bool {
    let isMarked = file.unlatched().map { file in
      (try? WaveRepair.putTail(cues, tags, on: file, after: repair)) != nil
    }
    if isMarked == true { return true }
    var unmarked = repair
    unmarked.isIntact = false
    _ = file.unlatched().flatMap { [unmarked] in try? unmarked.carryOut(on: $0) }
    return false
  }

  private func result(
    of events: [PositionedEvent], at position: RecordedPart.TakePosition?
  ) -> RecordingResult {
    let record = part.record
    // A part that could not get its final name was listed under its hidden name.
    let listed =
      record == nil
      ? store.catalogue.takes.last { $0.path?.isSameName(as: part.path) ?? false } : nil
    let stream = record?.file ?? repair.stream
    let input = record?.stream ?? stream
    var counts = EventCounts(events)
    let onDisk = recovery.frames.converted(from: stream.rate, to: input.rate)
    counts.setFrames(onDisk: onDisk)
    var facts = TakeFacts(
      identifier: record?.identifier ?? listed?.identifier ?? PartFile.split(part.path).name,
      name: record?.name ?? listed?.name ?? part.target, device: "", stream: input,
      format: repair.format)
    if let record { facts.tracks = record.tracks }
    let gaps = events.trackGaps(of: facts.tracks, from: stream.rate, to: input.rate, upTo: onDisk)
    facts.tracks.set(gaps, most: TakeFacts.mostGaps)
    facts.client = record?.client
    facts.file = stream
    facts.frames = counts.frames
    facts.gaps = counts.gaps
    facts.marks = counts.marks
    facts.segment = position?.segment ?? listed?.segment
    var result = RecordingResult(
      facts, reason: .interrupted, exit: Outcome.incomplete.rawValue,
      began: position?.began ?? record?.began ?? KernelClock.realTime.now)
    result.delivery = record?.output?.delivery ?? listed?.delivery
    return result
  }
}

extension CheckedFile {
  /// Opens the same file again, without its latched failure.
  fileprivate func unlatched() -> CheckedFile? {
    guard let other = try? duplicate() else { return nil }
    return try? CheckedFile(other, named: label)
  }
}

/// The frame counts of a take, derived from its events.
struct EventCounts {
  private(set) var frames = Accounting()
  private(set) var gaps: [Gap] = []
  private(set) var marks = 0

  /// Counts the events. In a shared directory any user may have written the journal, so a line that
  /// exceeds the limits of a take is skipped.
  init(_ events: [PositionedEvent]) {
    var lostBefore: FrameCount?
    for event in events {
      switch event.event {
      case .mark: marks += 1
      case .paused: lostBefore = frames.lost
      case .resumed(let length):
        // Frames that the device lost during a pause were neither captured nor filled.
        let lost = lostBefore.map { frames.lost - $0 } ?? 0
        Self.add(max(0, length - lost), to: &frames.discarded)
        lostBefore = nil
      case .gap(let gap):
        guard Self.add(gap.length, to: &frames.lost) else { continue }
        gaps.append(gap)
        if lostBefore == nil { frames.filled += gap.length }
      case .track: continue
      }
    }
  }

  /// Counts all frames on the disk as captured, except the inserted silence.
  mutating func setFrames(onDisk: FrameCount) {
    let onDisk = min(onDisk, .most)
    frames.filled = min(frames.filled, onDisk)
    frames.captured = onDisk + frames.discarded - frames.filled
  }

  /// Adds a number to a sum; returns false if the sum would exceed the limit of a take.
  @discardableResult
  private static func add(_ count: FrameCount, to sum: inout FrameCount) -> Bool {
    guard count >= 0, count <= .most, sum + count <= .most else { return false }
    sum += count
    return true
  }
}

extension [PositionedEvent] {
  /// Returns the silent ranges of each track at the rate of the device, up to the end of the file.
  fileprivate func trackGaps(
    of tracks: [Track], from file: SampleRate, to device: SampleRate, upTo end: FrameCount
  ) -> [[Gap]] {
    tracks.map { track in
      var ranges = SilentRanges()
      for case (let frame, .track(track.name, let cause)) in map({ ($0.frame, $0.event) }) {
        ranges.change(to: cause, at: frame.converted(from: file, to: device))
      }
      return ranges.ranges(upTo: end)
    }
  }
}
