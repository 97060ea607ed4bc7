internal import Audio
internal import Control
internal import Files
internal import Linux
internal import Recording
internal import Store
internal import Synchronization

/// The files that a take writes, one after another.
package final class TakeSeries: Sendable {
  let plan: RecordingPlan
  let formats: TakeFormats
  let store: MachineStore
  let host: any TakeHost

  private struct State {
    var partFile: PartFile
    /// The path of the latest file without its number. `number` is that number.
    var base: String
    var number: Int
    /// The path of the part in the session's record.
    var reportedPath: String
    /// The earlier files that do not have their final names yet.
    var unnamed: [Unnamed] = []
    /// The finish of the previous file. It waits until all earlier files are finished.
    var closing: TakeFinish?
    var last: LastFile?
    /// The faults of the files before the last one.
    var faults: [String] = []
    /// The frame counts of earlier files that could not be written completely: as the writer
    /// counted them, and as they are in the file.
    var corrections: [(counted: Accounting, present: Accounting)] = []
    /// Files that could not be added to the catalogue yet.
    var unlisted: [RecordingResult] = []
    var refusals: Refusals = (0, nil)
    /// Files that retention does not delete, because their content has changed.
    var changed: [String] = []
    /// The number of older files that retention has deleted.
    var deleted = 0
    /// The number of files that were deleted before their delivery, to free space.
    var undelivered = 0
    /// The time of the last of these deletions.
    var madeRoom: Duration?
  }

  /// The number of further files that could not be created, and the last error.
  typealias Refusals = (count: Int, last: (any Error)?)

  /// A file that does not have its final name yet, or that never gets one.
  private struct Unnamed {
    private let recorded: RecordedPart
    /// The part, or nil once it cannot be renamed any more.
    private weak var partFile: PartFile?
    private let identity: ObjectIdentifier

    init(_ partFile: PartFile) {
      identity = ObjectIdentifier(partFile)
      recorded = partFile.recorded
      self.partFile = partFile
    }

    func isPart(_ other: ObjectIdentifier) -> Bool { identity == other }

    /// The description of the part, with its current path.
    var present: RecordedPart { partFile?.recorded ?? recorded }
  }

  /// The last file of a take. The writing thread passes the file to the thread that finishes it.
  private struct LastFile {
    var file: Handoff<SegmentFile>
    var segment: TakeSegment
  }

  private let state: Mutex<State>

  /// A series whose first file is `partFile`.
  init(
    _ plan: RecordingPlan, _ formats: TakeFormats, _ store: MachineStore, _ host: any TakeHost,
    from partFile: PartFile, number: Int
  ) {
    self.plan = plan
    self.host = host
    self.formats = formats
    self.store = store
    state = Mutex(
      State(
        partFile: partFile, base: plan.output.path ?? "", number: number,
        reportedPath: partFile.partPath))
  }

  /// The files of the series that retention does not delete, because their content has changed.
  package var changedFiles: [String] { state.withLock { $0.changed } }

  /// The number of files that were deleted before their delivery, to free space.
  package var undeliveredDeleted: Int { state.withLock { $0.undelivered } }

  /// The number of further files that could not be created, and the last error.
  var refusals: Refusals { state.withLock { $0.refusals } }

  /// The file that is being written.
  var partFile: PartFile { state.withLock { $0.partFile } }

  /// The FLAC compression level while recording. It needs a quarter less processor time than the
  /// default level 5, and the files are 1 % larger.
  private static let flacLevel = 4

  /// Opens the file for a part.
  func open(_ partFile: PartFile) throws -> SegmentFile {
    do {
      var settings = SoundFileSettings(
        format: plan.output.format, stream: formats.file, tags: plan.output.tags())
      settings.flacLevel = Self.flacLevel
      let writers = try partFile.files.enumerated().map { index, handoff in
        guard let file = handoff.take() else { preconditionFailure("the file was just made") }
        let digest = plan.output.keep == nil ? nil : WrittenDigest()
        let checked = try CheckedFile(
          file, named: partFile.partPath, noting: digest.map { $0.note(_:at:) })
        let channels = plan.output.tracks.isEmpty ? nil : formats.tracks[index].channels
        settings.stream = formats.stream(of: channels)
        return try TrackWriter(checked, settings, digest, channels, of: formats.file)
      }
      let sync = try DiskSync(writers.map(\.file), at: partFile)
      return SegmentFile(
        stream: formats.file, writers: writers, partFile: partFile, sync: sync,
        origin: TakeOrigin.current)
    } catch {
      try? partFile.discard()
      throw TakeError.output(partFile.path, .failed(error))
    }
  }

  /// The callbacks that start and complete further files for the recording.
  var files: TakeFiles<SegmentFile> {
    TakeFiles(
      begin: { [self] in
        partFile.begin(at: $0)
        updateRecord()
      }, next: { [self] in next($0, began: $1) }, complete: { [self] in complete($0, $1, $2) })
  }
}

extension TakeSeries {
  /// Makes the part of the first file: the requested file, or the next file of an existing series.
  static func firstPartFile(
    _ plan: RecordingPlan, _ store: MachineStore, in directory: consuming Directory
  ) throws -> (partFile: PartFile, number: Int) {
    let name = (plan.output.path ?? "").pathParts.name
    let number = plan.output.firstNumber(of: name, in: directory)
    let partFile = try PartFileMaker(plan: plan, store: store).make(
      in: directory, name, number: number,
      at: RecordedPart.TakePosition(segment: plan.output.split == nil ? nil : 1))
    return (partFile, number)
  }

  private func next(_ segment: Int, began: WallTime) -> SegmentFile? {
    // `began` may be slightly too early, because two clocks are read one after the other. Without
    // this correction, a file that begins exactly at a full second could get the name of the
    // previous second.
    let named = WallTime(sinceEpoch: began.sinceEpoch + .milliseconds(1))
    let path = plan.output.pattern.flatMap(named.local) ?? plan.output.path ?? ""
    let (parent, name) = path.pathParts
    let (base, latest) = state.withLock { ($0.base, $0.number) }
    do {
      let directory = try PartFileMaker.open(parent, for: path)
      let number = plan.output.freeNumber(
        of: name, in: directory, after: path.isSameName(as: base) ? latest : 0)
      let partFile = try PartFileMaker(plan: plan, store: store)
        .make(
          in: directory, name, number: number,
          at: RecordedPart.TakePosition(segment: segment, began: began.sinceEpoch))
      let file = try open(partFile)
      state.withLock { state in
        state.unnamed.append(Unnamed(state.partFile))
        (state.partFile, state.base, state.number) = (partFile, path, number)
      }
      updateRecord()
      return file
    } catch {
      state.withLock { $0.refusals = ($0.refusals.count + 1, error) }
      host.report(error)
      return nil
    }
  }

  /// Writes the names of the files to the session's record before a frame of the next file is
  /// written, so that all files are found after a crash.
  private func updateRecord() {
    guard let name = SessionName(plan.name) else { return }
    try? store.sessions.update(name) { record in
      state.withLock { state in
        let part = state.partFile.recorded
        state.reportedPath = part.path
        record.path = state.partFile.path
        record.parts = state.unnamed.map(\.present) + [part]
      }
    }
  }

  /// Writes the current paths of the files to the record if a parent directory was renamed.
  func follow() {
    let (partFile, reportedPath) = state.withLock { ($0.partFile, $0.reportedPath) }
    if !reportedPath.isSameName(as: partFile.partPath) { updateRecord() }
  }

  private func complete(
    _ file: consuming SegmentFile, _ segment: TakeSegment, _ end: RecordingEnd?
  ) {
    let (part, identity) = (file.partFile.part, ObjectIdentifier(file.partFile))
    let file = Handoff(file)
    guard end == nil else {
      state.withLock { $0.last = LastFile(file: file, segment: segment) }
      return
    }
    let result = result(of: segment)
    let former = state.withLock { $0.closing }
    let closing = try? TakeFinish(result, after: former) { [self] result in
      var result = result
      conclude(segment, file, &result)
      if result.path?.pathParts.name.isSameName(as: part) != true {
        // A file that keeps its hidden name is added to the catalogue by a recovery.
        if result.path != nil { list(result) }
        state.withLock { $0.unnamed.removeAll { $0.isPart(identity) } }
        updateRecord()
      }
      let (fault, present) = (result.message, result.frames)
      state.withLock { state in
        if let fault { state.faults.append(fault) }
        if present != segment.frames { state.corrections.append((segment.frames, present)) }
      }
      return result
    }
    state.withLock { $0.closing = closing ?? former }
  }

  /// Adds to the catalogue the files that could not be added earlier, then `result`.
  private func list(_ result: RecordingResult?) {
    var waiting = state.withLock { $0.unlisted } + (result.map { [$0] } ?? [])
    while let next = waiting.first {
      do throws(DirectoryRefusal) {
        try store.catalogue.add(next)
        waiting.removeFirst()
        if let delivery = next.delivery { host.deliver(delivery.series) }
      } catch {
        host.report(error)
        break
      }
    }
    state.withLock { $0.unlisted = waiting }
  }

  /// Finishes the last file after all earlier ones.
  func finish(_ result: RecordingResult) throws(SystemError) -> TakeFinish {
    let (last, former) = state.withLock { ($0.last, $0.closing) }
    return try TakeFinish(result, after: former) { [self] result in
      var result = result
      list(nil)
      for file in state.withLock({ $0.unlisted }).compactMap(\.path) {
        result.add(host.words(for: .unlistedFile(file)), .incomplete)
      }
      for fault in state.withLock({ $0.faults }) { result.add(fault, .incomplete) }
      let undelivered = state.withLock { $0.undelivered }
      if undelivered > 0 {
        result.add(host.words(for: .undeliveredDeleted(undelivered)), .incomplete)
      }
      if let last {
        result.narrow(to: last.segment, of: plan)
        for (counted, present) in state.withLock({ $0.corrections }) {
          result.total?.exchange(counted, for: present)
        }
        conclude(last.segment, last.file, &result)
        if result.path == nil, let former { result.fallBack(to: former.result) }
      }
      return result
    }
  }

  /// The longest wait for the disk to report the space of deleted files as free.
  static let roomPatience = Duration.seconds(10)

  /// Deletes older files to free `bytes` bytes. Returns false if no file may be deleted. In this
  /// case the take must end.
  func makeRoom(of bytes: Int64) -> Bool {
    let now = KernelClock.monotonic.now
    if let last = state.withLock({ $0.madeRoom }), now - last < Self.roomPatience { return true }
    let deleted = SeriesPruning(plan.output, store)?.makeRoom(of: bytes) ?? 0
    guard deleted > 0 else { return false }
    state.withLock { state in
      state.undelivered += deleted
      state.madeRoom = now
    }
    return true
  }

  private func conclude(
    _ segment: TakeSegment, _ file: Handoff<SegmentFile>, _ result: inout RecordingResult
  ) {
    var finish = SegmentFinish(
      plan: plan, store: store, host: host, formats: formats, segment: segment)
    let pruning = finish.run(file, &result)
    if result.path == nil { result.bytes = 0 }
    for path in pruning.changed { host.reportChanged(path) }
    result.deletedOlder = state.withLock { state in
      state.changed += pruning.changed
      state.deleted += pruning.deleted.count
      return state.deleted
    }
  }

  /// Returns the result of a file before the last one.
  private func result(of segment: TakeSegment) -> RecordingResult {
    let hasGaps = segment.frames.lost > 0 || segment.trackGaps.contains { !$0.isEmpty }
    var facts = TakeFacts(
      identifier: plan.identifier, name: plan.name, device: plan.capture.device,
      stream: formats.device, format: plan.output.format)
    facts.tracks = formats.tracks
    facts.file = formats.file
    facts.client = plan.client
    var result = RecordingResult(
      facts, reason: .split,
      exit: (hasGaps && !plan.toleratesGaps ? Outcome.incomplete : .done).rawValue,
      began: segment.began.sinceEpoch)
    result.ended = KernelClock.realTime.now
    result.describe(segment, of: plan)
    return result
  }
}
