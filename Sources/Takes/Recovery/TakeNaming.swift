internal import Audio
internal import Control
internal import Digest
internal import Files
internal import Linux
internal import Recording
internal import Store

/// Gives a repaired part its marks, its sidecar, its final name and its line in the catalogue.
struct TakeNaming {
  private let part: InterruptedPart
  /// The repaired files: one file, or one for each track. All of them have the same number of
  /// frames.
  private let files: [RepairedFile]
  private let store: MachineStore
  private let host: any TakeHost
  /// The result in the announcement of the part, or nil if there is none. It is used only if the
  /// part has no record.
  private let announced: RecordingResult?

  /// The naming of a part's repaired files. There is at least one file.
  init(
    _ part: InterruptedPart, _ files: [RepairedFile], _ store: MachineStore,
    _ host: any TakeHost
  ) {
    self.part = part
    self.files = files
    self.store = store
    self.host = host
    announced =
      part.record == nil
      ? store.announcements.result(ofPart: part.name.text, files[0].file.status) : nil
  }

  /// Publishes the take. The steps are ordered so that the next recovery can continue after a crash
  /// at any step.
  func publish(in directory: borrowing Directory) throws -> RecordingResult {
    let events = events
    let position = (try? directory.status(of: part.name.text)).flatMap { status in
      part.record?.position(ofPart: status)
    }
    var result = result(of: events, at: position)
    result.add(wordsOf: plan(result.format), events)
    if files.contains(where: \.recovery.hasGap) {
      result.add(host.words(for: .damagedInside), .incomplete)
    }
    if result.format == .wav, part.record != nil || announced != nil || !events.isEmpty {
      let cues = events.compactMap { $0.cue(at: result.stream.rate, host) }
      let tags = plan(result.format).tags(at: WallTime(sinceEpoch: result.began))
      for file in files where !file.file.file.mark(cues, tags, after: file.plan) {
        result.add(host.words(for: .marksUnwritten), .incomplete)
      }
    }
    let sizes = files.map { file in
      (try? directory.status(of: file.file.name))?.size ?? file.file.file.end
    }
    result.bytes = sizes.reduce(0, +)
    for (index, size) in zip(fileIndices(result.tracks), sizes) {
      result.tracks[index].bytes = size
    }
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
    part.removeJournal()
    return result
  }

  /// Renames the part to the first name that is free for the file and its sidecar. Returns true if
  /// the file was announced.
  private func name(
    _ result: inout RecordingResult, _ events: [PositionedEvent], in directory: borrowing Directory
  ) throws -> Bool {
    let plan = plan(result.format)
    var attempt = 0
    while true {
      attempt += 1
      let names = names(attempt)
      let name = names[0]
      guard names.allSatisfy({ (try? directory.status(of: $0)) == nil }),
        isFree(name + ".json", for: result, in: directory)
      else { continue }
      result.path = directory.path(of: name)
      for (index, name) in zip(fileIndices(result.tracks), names) {
        result.tracks[index].file = directory.path(of: name)
      }
      try? AtomicFile.removeLeftovers(of: name + ".json", in: directory)
      try Sidecar(result, plan, events).write(
        beside: name, in: directory, replacing: true, &result)
      let isAnnounced = try announce(result, in: directory)
      do throws(SystemError) {
        try directory.renameWithoutReplacing(part.name.text, to: name)
        for other in others { other.publish(in: directory, &result.tracks) }
        return isAnnounced
      } catch {
        if result.sidecar != nil { try? directory.remove(name + ".json") }
        result.sidecar = nil
        guard error.errno == .exists else { throw error }
      }
    }
  }

  /// Announces the file before it gets its final name. If this process dies after the renaming,
  /// only the announcement leads to the take. Returns whether the announcement was written. Throws
  /// if it could not be written, but is required for a delivery or for the files of further tracks.
  private func announce(
    _ result: RecordingResult, in directory: borrowing Directory
  ) throws -> Bool {
    let status = try directory.status(of: part.name.text)
    let isRequired = result.delivery != nil || !others.isEmpty
    do throws(DirectoryRefusal) {
      try store.announcements.add(
        TakeAnnouncement(result, in: part.path, status, others), status)
      return true
    } catch {
      if isRequired { throw error }
      return false
    }
  }

  /// Returns whether the sidecar can have this name. An existing sidecar of the same take is
  /// replaced, because an interrupted recovery wrote it.
  private func isFree(
    _ name: String, for result: RecordingResult, in directory: borrowing Directory
  ) -> Bool {
    guard (try? directory.status(of: name)) != nil else { return true }
    guard let file = try? directory.open(name, [.noFollow, .nonBlocking]) else { return false }
    return Sidecar.identifier(in: file) == result.identifier
  }
}

extension TakeNaming {
  /// The files of further tracks, under their hidden names.
  private var others: [TrackPart] {
    files.dropFirst().map { TrackPart($0.file.track ?? "", at: $0.file.name, $0.file.status) }
  }

  /// Returns the final names of all files for this attempt.
  private func names(_ attempt: Int) -> [String] {
    let first = files[0].file.track
    return files.enumerated().map { index, file in
      guard index > 0, let track = file.file.track else {
        return TakeName.recovered(part.target, attempt)
      }
      let target =
        first.map { TrackFileName.replacing($0, by: track, in: part.target) }
        ?? TrackFileName.adding(track, to: part.target)
      return TakeName.recovered(target, attempt)
    }
  }

  /// Returns the indices of the tracks that have files of their own, in the order of the files.
  private func fileIndices(_ tracks: [Track]) -> [Int] {
    files.compactMap { file in
      file.file.track.flatMap { track in
        tracks.firstIndex { $0.name?.isSameName(as: track) == true }
      }
    }
  }

  /// The tracks, derived from the files because the part has no record. Nil if the part is one file
  /// with all tracks.
  private var fileTracks: [Track]? {
    guard files[0].file.track != nil else { return nil }
    let channels = files.map(\.plan.stream.channels.value).consecutiveRanges
    return zip(files, channels).map { Track(name: $0.file.track, device: "", channels: $1) }
  }

  /// The format of the frames of all files together.
  private var fileStream: StreamFormat {
    let (first, count) = (files[0].plan.stream, files.map(\.plan.stream.channels.value))
    return StreamFormat(
      rate: first.rate, channels: ChannelCount(count.reduce(0, +)) ?? first.channels,
      sample: first.sample)
  }

  private func plan(_ format: FileFormat) -> OutputPlan {
    if let output = part.record?.output { return output }
    var plan = OutputPlan(path: nil, format: format)
    (plan.title, plan.note) = (announced?.title, announced?.note)
    return plan
  }

  /// The identifier of a take without a record. It does not change if an interrupted recovery is
  /// repeated. Takes with the same identifier count as one take, so the identifier must be unique.
  /// The name of the part alone is not unique.
  private var ownIdentifier: String {
    let text = "\(part.path) \(files[0].file.status.inode)"
    return String(SHA256(of: text.utf8).hexadecimal.prefix(16))
  }

  /// The events of the take. Events after the last frame are moved to the last frame.
  private var events: [PositionedEvent] { part.events(upTo: files[0].recovery.frames) }

  private func result(
    of events: [PositionedEvent], at position: RecordedPart.TakePosition?
  ) -> RecordingResult {
    let record = part.record
    let stream = record?.file ?? fileStream
    let input = record?.stream ?? stream
    let onDisk = files[0].recovery.frames.converted(from: stream.rate, to: input.rate)
    let counts = EventCounts(events, from: stream.rate, to: input.rate, onDisk: onDisk)
    var facts = TakeFacts(
      identifier: record?.identifier ?? announced?.identifier ?? ownIdentifier,
      name: record?.name ?? announced?.name ?? part.target, device: "", stream: input,
      format: files[0].plan.format)
    facts.tracks = record?.tracks ?? fileTracks ?? facts.tracks
    let gaps = events.trackGaps(of: facts.tracks, from: stream.rate, to: input.rate, upTo: onDisk)
    facts.tracks.set(gaps, most: TakeFacts.mostGaps)
    facts.client = record?.client
    facts.file = stream
    facts.frames = counts.frames
    facts.gaps = counts.gaps
    facts.marks = counts.marks
    facts.segment = position?.segment ?? announced?.segment
    var result = RecordingResult(
      facts, reason: .interrupted, exit: Outcome.incomplete.rawValue,
      began: position?.began ?? record?.began ?? announced?.began ?? KernelClock.realTime.now)
    result.delivery = record?.output?.delivery ?? announced?.delivery
    return result
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
