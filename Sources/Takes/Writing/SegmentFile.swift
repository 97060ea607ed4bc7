internal import Audio
internal import Control
internal import Files
internal import JSON
internal import Linux
internal import Recording
internal import Store
internal import Synchronization

/// One file of a take while it is written: its writer, its part and its synchronization to the
/// disk.
struct SegmentFile: TakeFile, ~Copyable {
  typealias Failure = SoundFileError

  var writer: SoundFileWriter
  let partFile: PartFile
  let sync: DiskSync
  /// The digest of the file, or nil without retention. Retention recognizes the file by it.
  let digest: WrittenDigest?
  /// The machine and its clock at the beginning of the file.
  let origin: TakeOrigin

  var stream: StreamFormat { writer.settings.stream }
  var bytesWritten: Int64 { writer.bytesWritten }

  mutating func write(_ frames: RawSpan) throws(SoundFileError) {
    try writer.write(frames, of: writer.settings.stream.sample)
  }

  mutating func refresh() throws(SoundFileError) {
    try writer.updateHeader()
    sync.follow()
  }

  func note(_ event: PositionedEvent) { partFile.note(event.json.encoded()) }
}

/// Synchronizes a file to the disk on its own thread, so that a slow disk delays nothing else.
///
/// A synchronization begins right after a piece was written, so that no older data waits for the
/// next one. A power cut loses at most the interval and the time that the disk takes. A failure is
/// latched in the file, where the writing thread finds it.
final class DiskSync: Sendable {
  private let call: Event
  private let isOver = Atomic(false)
  /// The time of the last request to synchronize.
  private let began = Mutex(KernelClock.monotonic.now)

  /// About three pieces of an unattended take.
  private static let interval = Duration.milliseconds(1_400)
  /// The longest wait for a piece, for example while a write hangs.
  private static let patience = Duration.seconds(2)

  init(_ file: CheckedFile, at partFile: PartFile) throws(SystemError) {
    call = try Event()
    _ = try Thread("sync") { [self] in self.run(file, partFile) }
  }

  /// Requests a synchronization if one is due. It is called after each piece.
  func follow() {
    let now = KernelClock.monotonic.now
    let isDue = began.withLock { began in
      guard now - began >= Self.interval else { return false }
      began = now
      return true
    }
    if isDue { call.signal() }
  }

  /// Ends the thread. It may still be waiting for the disk.
  func end() {
    // Pairs with the acquiring load in `run`.
    isOver.store(true, ordering: .releasing)
    call.signal()
  }

  private func run(_ file: CheckedFile, _ partFile: PartFile) {
    var hasName = false
    while (try? call.descriptor.wait(upTo: Self.patience)) != nil {
      call.clear()
      // Pairs with the releasing store in `end`.
      if isOver.load(ordering: .acquiring) { return }
      guard (try? file.synchronizeData()) != nil else { return }
      if !hasName { partFile.keepPart() }
      hasName = true
    }
  }
}

/// Finishes one file of a take: its header, its name and its sidecar, then its hooks and retention.
struct SegmentFinish {
  let plan: RecordingPlan
  let store: MachineStore
  let host: any TakeHost
  let segment: TakeSegment
  /// The sample rate of the device. The positions of events are counted at this rate.
  let input: SampleRate

  /// Finishes the file and completes `result`. Returns the files that retention skips because they
  /// have changed.
  func run(_ file: Handoff<SegmentFile>, _ result: inout RecordingResult) -> [String] {
    guard let file = file.take() else { return [] }
    let (partFile, digest, checked, origin) = (
      file.partFile, file.digest, file.writer.file, file.origin
    )
    file.sync.end()
    guard result.reason != .cancelled, result.frames.onDisk > 0 else {
      partFile.discard()
      return []
    }
    if !close(file.writer, &result) { digest?.doubt() }
    guard result.frames.onDisk > 0 else {
      result.exit = Outcome.nothingCaptured.rawValue
      partFile.discard()
      return []
    }
    // A file that goes to the trash is not delivered, and retention does not count it.
    if result.reason == .discarded { (result.delivery, result.series) = (nil, nil) }
    publish(partFile, checked, origin, &result)
    if result.reason == .discarded { return [] }
    SavedFile(result, checked, digest, partFile.directory).map {
      try? store.savedFiles.remember($0)
    }
    let changed = prune(latest: result)
    host.completed(result, of: plan)
    return changed
  }

  private func prune(latest: RecordingResult) -> [String] {
    do throws(DirectoryRefusal) {
      return try SeriesPruning(plan.output, store)?.run(latest: latest) ?? []
    } catch {
      host.report(error)
      return []
    }
  }

  /// Closes the file. If that fails, cuts the file after its readable part and corrects the counts.
  private func close(_ writer: consuming SoundFileWriter, _ result: inout RecordingResult) -> Bool {
    let (file, settings) = (writer.file, writer.settings)
    let cues = segment.events.compactMap { $0.cue(at: input, host) }
    do throws(SoundFileError) {
      try writer.close(cues: cues)
      return true
    } catch {
      result.add(host.words(for: .file(error)), .incomplete)
      guard let held = recover(file, settings, cues) else { return false }
      recount(held.converted(from: settings.stream.rate, to: input), &result)
      return false
    }
  }

  /// Cuts the file after its last whole frame, and writes its marks if there is space. Returns the
  /// number of its frames.
  private func recover(
    _ file: CheckedFile, _ settings: SoundFileSettings, _ cues: [SoundFileCue]
  ) -> FrameCount? {
    let found = unlatched(file).flatMap {
      try? SoundFileRepair.recover($0, as: settings.format, stream: settings.stream)
    }
    if settings.format == .wav, let file = unlatched(file) {
      _ = try? WaveRepair.recover(file, cues: cues, tags: settings.tags)
    }
    return found?.frames ?? decodable(file, settings)
  }

  /// Returns the number of frames that a reader finds. It is used if not even the repair could be
  /// written.
  private func decodable(_ file: CheckedFile, _ settings: SoundFileSettings) -> FrameCount? {
    let raw = settings.format == .raw ? settings.stream : nil
    guard let other = try? file.duplicate(),
      var reader = try? SurveyedFile(other, named: file.label, raw: raw).reader(of: 0)
    else { return 0 }
    return reader.countFrames()
  }

  /// Opens the same file again, without its latched failure.
  private func unlatched(_ file: CheckedFile) -> CheckedFile? {
    guard let other = try? file.duplicate() else { return nil }
    return try? CheckedFile(other, named: file.label)
  }

  private func recount(_ held: FrameCount, _ result: inout RecordingResult) {
    var counted = segment
    counted.recount(holding: held)
    result.frames = counted.frames
    result.gaps = counted.gaps.suffix(TakeFacts.mostGaps)
    result.tracks.set(counted.trackGaps, most: TakeFacts.mostGaps)
    result.total?.exchange(segment.frames, for: counted.frames)
  }

  /// Announces the file before it gets its final name, because a session that dies after the
  /// renaming leaves no part.
  private func announce(
    _ partFile: PartFile, _ origin: TakeOrigin, _ result: RecordingResult
  ) throws(DirectoryRefusal) {
    let status = partFile.status
    var meant = result
    meant.path = partFile.path
    meant.bytes = status.size
    let sidecar = Sidecar(meant, plan.output, segment.events, from: origin).needed
    do {
      try store.announcements.add(
        TakeAnnouncement(meant, in: partFile.partPath, status, sidecar: sidecar), status)
    } catch _ where result.delivery == nil {
      // Without the announcement, a take is not listed if its session dies before it writes the
      // catalogue. That is acceptable, unless the file waits for a delivery: with its final name it
      // would never be delivered.
    }
  }

  /// Moves an existing file with the final name to the trash. Returns true if the existing file
  /// must be replaced instead.
  private func mustReplace(_ partFile: PartFile, _ result: inout RecordingResult) -> Bool {
    // The file of a cancelled take goes to the trash itself, so it replaces no other file.
    let isReplacing = plan.output.replaces && result.reason != .discarded
    guard isReplacing, host.trashesReplaced else { return isReplacing }
    guard (try? partFile.directory.status(of: partFile.name)) != nil else { return false }
    let path = partFile.path
    do throws(TakeChangeError) {
      try TakeChanges(store).makeWay(at: path)
      return false
    } catch {
      store.catalogue.note(.replace, of: path)
      result.add(host.words(for: .untrashed(path, error)), .done)
      return true
    }
  }

  private func publish(
    _ partFile: PartFile, _ file: CheckedFile, _ origin: TakeOrigin, _ result: inout RecordingResult
  ) {
    do throws(DirectoryRefusal) {
      try announce(partFile, origin, result)
    } catch {
      result.path = partFile.partPath
      return result.add(host.words(for: .unqueued(error)), .incomplete)
    }
    if !partFile.isNamed { result.add(host.words(for: .removed(partFile.partPath)), .incomplete) }
    do throws(SystemError) {
      let published = try partFile.publish(file, replacing: mustReplace(partFile, &result))
      let name = published.name
      result.path = partFile.directory.presentPath(of: name)
      if name != partFile.name, plan.output.split == nil, result.reason != .discarded {
        result.add(host.words(for: .nameTaken(partFile.path)), .outputRefused)
      }
      if let doubt = published.doubt {
        result.add(host.words(for: .nameUncertain(doubt)), .incomplete)
      }
      result.bytes = (try? partFile.directory.status(of: name))?.size ?? result.bytes
      let sidecar = Sidecar(result, plan.output, segment.events, from: origin)
      try sidecar.write(beside: name, in: partFile.directory, &result, host)
      partFile.forgetEvents()
    } catch {
      if !partFile.isNamed, result.path == nil {
        // The file has no name left, so its sound is lost.
        recount(0, &result)
        result.add(host.words(for: .unsaved(error)), .incomplete)
        return
      }
      if result.path == nil {
        result.path = partFile.partPath
        if let series = result.delivery?.series { try? store.spool(of: series).withdraw(result) }
      }
      result.add(host.words(for: .system(error)), .incomplete)
    }
  }
}
