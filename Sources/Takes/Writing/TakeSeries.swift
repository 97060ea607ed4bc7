internal import Audio
package import Control
internal import Files
package import Linux
internal import Recording
internal import Store
internal import Synchronization

/// The files that a take writes, one after the other.
package final class TakeSeries: Sendable {
  let plan: RecordingPlan
  let formats: TakeFormats
  let store: SessionStore
  let host: any TakeHost

  private struct State {
    var place: PartFile
    /// The name of the latest file without its number, and that number.
    var base: String
    var number: Int
    /// The path of its part in the session's record.
    var told: String
    /// The earlier files that have no names yet.
    var unnamed: [Unnamed] = []
    /// The end of the file before the current one, which follows those of all before.
    var closing: TakeFinish?
    var last: LastFile?
    /// The faults of files before the last.
    var faults: [String] = []
    /// Files that could not be entered into the catalogue yet.
    var unlisted: [RecordingResult] = []
    /// Files that retention skips, because somebody has changed them.
    var changed: [String] = []
    /// The number of files that were deleted for space before they were delivered.
    var undelivered = 0
    /// The moment of the last of these deletions.
    var madeRoom: Duration?
  }

  /// A file without a name yet, or for good.
  private struct Unnamed {
    private let recorded: RecordedPart
    /// The part; nil once it can get no name any more.
    private weak var place: PartFile?
    private let identity: ObjectIdentifier

    init(_ place: PartFile) {
      identity = ObjectIdentifier(place)
      recorded = place.recorded
      self.place = place
    }

    func isPart(_ other: ObjectIdentifier) -> Bool { identity == other }

    /// The part at its present path.
    var present: RecordedPart { place?.recorded ?? recorded }
  }

  /// The last file of a take, handed from the thread that wrote it to the one that ends it.
  private struct LastFile {
    var file: Handoff<SegmentFile>
    var segment: TakeSegment
  }

  private let state: Mutex<State>

  /// A take that begins with `place`.
  init(
    _ plan: RecordingPlan, _ formats: TakeFormats, _ store: SessionStore, _ host: any TakeHost,
    from place: PartFile, number: Int
  ) {
    self.plan = plan
    self.host = host
    self.formats = formats
    self.store = store
    let base = PartFile.split(plan.output.path ?? "").name
    state = Mutex(State(place: place, base: base, number: number, told: place.partPath))
  }

  /// Files of its series that retention skips, because somebody has changed them.
  package var changedFiles: [String] { state.withLock { $0.changed } }

  /// The number of files that were deleted for space before they were delivered.
  package var undeliveredDeleted: Int { state.withLock { $0.undelivered } }

  /// The file that is being written.
  var place: PartFile { state.withLock { $0.place } }

  /// FLAC's compression while recording: a quarter less processor time than the usual 5, for files that
  /// are a hundredth larger. An export takes its time.
  private static let flacLevel = 4

  /// The file in which a part is written.
  func open(_ place: PartFile) throws(TakeError) -> SegmentFile {
    do {
      var settings = SoundFileSettings(
        format: plan.output.format, stream: formats.file, tags: plan.output.tags())
      settings.flacLevel = Self.flacLevel
      guard let file = place.file.take() else { preconditionFailure("the file was just made") }
      let digest = plan.output.keep == nil ? nil : WrittenDigest()
      let checked = try CheckedFile(file, named: place.partPath, noting: digest)
      let writer = try SoundFileWriter(checked, settings)
      let sync = try DiskSync(checked, at: place)
      return SegmentFile(
        writer: writer, place: place, sync: sync, digest: digest, origin: TakeOrigin.current)
    } catch let error as SoundFileError {
      place.discard()
      throw .output(place.path, .file(error))
    } catch let error as SystemError {
      place.discard()
      throw .output(place.path, .system(error))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The callbacks by which the engine starts further files and completes them.
  var files: TakeFiles<SegmentFile> {
    TakeFiles(next: { [self] in next($0, began: $1) }, complete: { [self] in complete($0, $1, $2) })
  }
}

extension TakeSeries {
  /// The first file without a name yet: the requested one, or the next of a series that continues.
  static func firstPlace(
    _ plan: RecordingPlan, _ store: SessionStore, in directory: consuming Directory
  ) throws(TakeError) -> (place: PartFile, number: Int) {
    let name = PartFile.split(plan.output.path ?? "").name
    let number = plan.output.split == nil ? 1 : free(name, in: directory, after: 0)
    let place = try PartFileMaker(plan: plan, store: store).make(
      in: directory, name, number: number,
      at: RecordedPart.PlaceInTake(segment: plan.output.split == nil ? nil : 1))
    return (place, number)
  }

  private static func free(_ name: String, in directory: borrowing Directory, after least: Int)
    -> Int
  {
    NumberedName(name).free(among: (try? directory.names()) ?? [], after: least)
  }

  private func next(_ segment: Int, began: WallTime) -> SegmentFile? {
    // Two clocks are never read at once: a file that begins with a second must not get the name of
    // the one before.
    let named = WallTime(sinceEpoch: began.sinceEpoch + .milliseconds(1))
    let path = plan.output.pattern.flatMap(named.local) ?? plan.output.path ?? ""
    let (parent, name) = PartFile.split(path)
    let (base, latest) = state.withLock { ($0.base, $0.number) }
    do throws(TakeError) {
      let directory = try PartFileMaker.open(parent, for: path)
      let number = Self.free(name, in: directory, after: name == base ? latest : 0)
      let place = try PartFileMaker(plan: plan, store: store)
        .make(
          in: directory, name, number: number,
          at: RecordedPart.PlaceInTake(segment: segment, began: began.sinceEpoch))
      let file = try open(place)
      state.withLock { state in
        state.unnamed.append(Unnamed(state.place))
        (state.place, state.base, state.number) = (place, name, number)
      }
      tell()
      return file
    } catch {
      host.report(error)
      return nil
    }
  }

  /// Records the names of the files before a frame is written to the next, so that all are found
  /// after a crash.
  private func tell() {
    guard let name = SessionName(plan.name) else { return }
    try? store.update(name) { record in
      state.withLock { state in
        let part = state.place.recorded
        state.told = part.path
        record.path = state.place.path
        record.parts = state.unnamed.map(\.present) + [part]
      }
    }
  }

  /// Writes the present paths of the files to the record, if a directory above them was renamed.
  func follow() {
    let (place, told) = state.withLock { ($0.place, $0.told) }
    if place.partPath != told { tell() }
  }

  private func complete(
    _ file: consuming SegmentFile, _ segment: TakeSegment, _ end: RecordingEnd?
  ) {
    let (part, identity) = (file.place.part, ObjectIdentifier(file.place))
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
      if result.path != nil { list(result) }
      if result.path.map({ PartFile.split($0).name }) != part {
        state.withLock { $0.unnamed.removeAll { $0.isPart(identity) } }
        tell()
      }
      if let fault = result.message { state.withLock { $0.faults.append(fault) } }
      return result
    }
    state.withLock { $0.closing = closing ?? former }
  }

  /// Enters a file before the last into the catalogue, and those that could not be entered before.
  private func list(_ result: RecordingResult?) {
    var waiting = state.withLock { state in
      let waiting = state.unlisted
      state.unlisted = []
      return waiting
    }
    if let result { waiting.append(result) }
    while let next = waiting.first {
      do throws(DirectoryRefusal) {
        try store.catalogue(next)
        waiting.removeFirst()
        if let delivery = next.delivery { host.deliver(delivery.series) }
      } catch {
        host.report(.directory(error))
        break
      }
    }
    state.withLock { $0.unlisted = waiting }
  }

  /// Ends the last file, once all before it are ended.
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
        conclude(last.segment, last.file, &result)
        if result.path == nil, let former { result.fallBack(to: former.result) }
      }
      return result
    }
  }

  /// The longest wait for the disk to show the space of deleted files.
  static let roomPatience = Duration.seconds(10)

  /// Makes room at the least free space that the take allows; false where nothing may be deleted for
  /// it, and the take has to end.
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
    let finish = SegmentFinish(
      plan: plan, store: store, host: host, segment: segment, input: formats.device.rate)
    let changed = finish.run(file, &result)
    for path in changed { host.reportChanged(path) }
    state.withLock { $0.changed += changed }
  }

  /// The result of a file before the last.
  private func result(of segment: TakeSegment) -> RecordingResult {
    let isWhole = segment.frames.lost == 0 || plan.toleratesGaps
    var facts = TakeFacts(
      identifier: plan.identifier, name: plan.name, device: plan.capture.device,
      stream: formats.device, format: plan.output.format)
    facts.file = formats.file
    facts.client = plan.client
    var result = RecordingResult(
      facts, reason: .split, exit: (isWhole ? Outcome.done : .incomplete).rawValue,
      began: segment.began.sinceEpoch)
    result.describe(segment, of: plan)
    return result
  }
}

extension RecordingResult {
  /// Narrows the result to the last file of a take, with the totals of the take where it has
  /// several.
  fileprivate mutating func narrow(to segment: TakeSegment, of plan: RecordingPlan) {
    if segment.number > 1 {
      total = TakeTotal(files: segment.number, frames: facts.frames)
      began = segment.began.sinceEpoch
    }
    describe(segment, of: plan)
  }

  /// Takes the facts of the file before the last, where the last has no frames and is not kept.
  fileprivate mutating func fallBack(to former: RecordingResult) {
    guard !reason.isCancelled, former.path != nil, let total else { return }
    (facts, sidecar, clipped) = (former.facts, former.sidecar, former.clipped)
    (began, series, markTexts) = (former.began, former.series, former.markTexts)
    self.total = TakeTotal(files: total.files - 1, frames: total.frames)
    if exit == Outcome.nothingCaptured.rawValue { exit = Outcome.incomplete.rawValue }
  }

  fileprivate mutating func describe(_ segment: TakeSegment, of plan: RecordingPlan) {
    facts.frames = segment.frames
    facts.gaps = segment.gaps.suffix(TakeFacts.mostGaps)
    facts.highestPeak = segment.highestPeak
    facts.marks = segment.marks
    if plan.output.split != nil || segment.number > 1 { facts.segment = segment.number }
    clipped = segment.clipped
    delivery = plan.output.delivery
    if plan.output.split != nil || plan.output.keep != nil { series = plan.output.series }
    add(wordsOf: plan.output, segment.events)
  }
}

extension RecordingResult {
  /// Takes the title and the note of a plan, and the texts of the marks among `events`.
  mutating func add(wordsOf plan: OutputPlan, _ events: [PlacedEvent]) {
    (title, note) = (plan.title, plan.note)
    markTexts = events.compactMap { placed in
      if case .mark(let text) = placed.event, !text.isEmpty { text } else { nil }
    }
  }
}

extension CheckedFile {
  /// Opens a file whose content is digested while it is written, if `digest` is given.
  fileprivate convenience init(
    _ descriptor: consuming Descriptor, named label: String, noting digest: WrittenDigest?
  ) throws(SoundFileError) {
    if let digest {
      try self.init(descriptor, named: label) { digest.note($0, at: $1) }
    } else {
      try self.init(descriptor, named: label)
    }
  }
}

/// The end of a file on a thread of its own, because a disk may take long; files end in their order.
package final class TakeFinish: Sendable {
  /// An event that is readable once the file is ended.
  package let done: Event
  private let former: TakeFinish?
  private let work: @Sendable (RecordingResult) -> RecordingResult
  private let answer: Mutex<RecordingResult>

  /// Starts once the one before is done; `work` completes the result.
  init(
    _ result: RecordingResult, after former: TakeFinish? = nil,
    _ work: @escaping @Sendable (RecordingResult) -> RecordingResult
  ) throws(SystemError) {
    self.former = former?.isDone == true ? nil : former
    self.work = work
    answer = Mutex(result)
    done = try Event()
    // Without room for a thread the file is ended all the same.
    if (try? Thread("finish") { [self] in self.run() }) == nil { run() }
  }

  private func run() {
    if let former { _ = try? former.done.descriptor.wait(upTo: nil) }
    let result = work(result)
    answer.withLock { $0 = result }
    done.signal()
  }

  /// True once the file is ended.
  var isDone: Bool { (try? done.descriptor.wait(upTo: .zero)) == true }

  /// The result so far; the final one once `done` is readable.
  package var result: RecordingResult { answer.withLock { $0 } }
}
