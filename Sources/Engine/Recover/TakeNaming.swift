internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import JSON
internal import Linux
internal import Recording
internal import Store
internal import Takes

/// Gives a part that is whole again its marks, its sidecar, its name and its place in the catalogue.
struct TakeNaming {
  private let part: InterruptedPart
  private let recovery: Recovery
  private let store: SessionStore
  private let host = ProgramHost()
  private static let largestJournal = 1 << 26

  init(_ part: InterruptedPart, _ recovery: Recovery, _ store: SessionStore) {
    self.part = part
    self.recovery = recovery
    self.store = store
  }

  /// The steps are in this order so that whatever dies in between, the next recovery finds all of it again.
  func publish(
    _ file: CheckedFile, in directory: borrowing Directory
  ) throws(SystemError) -> RecordingResult {
    let events = events(in: directory)
    var result = result(of: events, try stream(of: file, in: directory))
    if recovery.hasGap { result.add("a part in the middle is damaged, and was kept", .incomplete) }
    if result.format == .wav, part.record != nil || !events.isEmpty {
      let cues = events.compactMap { $0.cue(at: result.stream.rate, host) }
      let tags = plan(result.format).tags(at: WallTime(sinceEpoch: result.began))
      if file.salvageWave(cues, tags) == nil {
        result.add("its marks could not be put into it", .incomplete)
      }
    }
    try name(&result, events, in: directory)
    try directory.synchronize()
    result.bytes = result.path.flatMap { try? FileStatus(of: $0) }?.size ?? file.end
    do throws(DirectoryRefusal) {
      try store.catalogue(result)
    } catch {
      result.add("it is not in the list of takes: \(error)", .incomplete)
    }
    try? directory.remove(part.name.journal)
    return result
  }

  /// Takes the first name that nobody has, for the file and for what is beside it.
  private func name(
    _ result: inout RecordingResult, _ events: [PlacedEvent], in directory: borrowing Directory
  ) throws(SystemError) {
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
      announce(result, in: directory)
      do throws(SystemError) {
        try directory.renameWithoutReplacing(part.name.text, to: name)
        return
      } catch {
        if result.sidecar != nil { try? directory.remove(name + ".json") }
        result.sidecar = nil
        guard error.errno == .exists else { throw error }
      }
    }
  }

  /// Nothing of the part is left to be found once the file has its name.
  private func announce(_ result: RecordingResult, in directory: borrowing Directory) {
    guard let status = try? directory.status(of: part.name.text) else { return }
    var meant = result
    meant.bytes = status.size
    try? store.announce(TakeAnnouncement(meant, in: part.path, status))
  }

  /// A sidecar without its file is what an earlier recovery of the same take left when it died.
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

  /// What happened to the take, as far as its sound is there.
  private func events(in directory: borrowing Directory) -> [PlacedEvent] {
    guard let file = try? directory.open(part.name.journal, [.noFollow, .nonBlocking]),
      (try? file.status())?.kind == .regular,
      let bytes = try? file.readAll(upTo: Self.largestJournal)
    else { return [] }
    return PlacedEvent.events(inJournal: bytes, upTo: recovery.frames)
  }

  /// How samples lie in the file, by the record or by what the file says.
  private func stream(
    of file: CheckedFile, in directory: borrowing Directory
  ) throws(SystemError) -> (stream: StreamFormat, format: FileFormat) {
    let format = part.format((try? file.head()) ?? []) ?? .wav
    if let stream = part.record?.file { return (stream, format) }
    guard let stream = streamInChild(of: file, in: directory) else {
      throw SystemError("recover", part.path, errno: .inputOutput)
    }
    return (stream, format)
  }

  /// Anybody may have put the file there, so a process reads it that can do nothing else.
  private func streamInChild(
    of file: CheckedFile, in directory: borrowing Directory
  ) -> StreamFormat? {
    // Opened again, because that process gets it to read alone.
    guard let open = try? directory.open(part.name.text, [.noFollow, .nonBlocking]),
      let own = try? file.duplicate().status(), (try? open.status())?.inode == own.inode,
      case .described(let found) = try? SoundReading.describe([OpenFile(open)]).first,
      let rate = found.members["rate"].flatMap(Int.init(json:)).flatMap({ SampleRate($0) }),
      let channels = found.members["channels"].flatMap(Int.init(json:))
        .flatMap({ ChannelCount($0) })
    else { return nil }
    let bits = found.members["bits"].flatMap(Int.init(json:))
    let sample: SampleFormat = bits == 24 ? .int24Packed : bits == 32 ? .int32 : .int16
    return StreamFormat(rate: rate, channels: channels, sample: sample)
  }

  private func result(
    of events: [PlacedEvent], _ known: (stream: StreamFormat, format: FileFormat)
  ) -> RecordingResult {
    let record = part.record
    let input = record?.stream ?? known.stream
    var books = EventBooks(events)
    books.settle(
      onDisk: recovery.frames.converted(from: known.stream.rate, to: input.rate))
    var result = RecordingResult(
      identifier: record?.identifier ?? PartFile.split(part.path).name,
      name: record?.name ?? part.target, reason: .interrupted,
      exit: Outcome.incomplete.rawValue, device: record?.device ?? "", stream: input,
      format: known.format, frames: books.frames,
      began: record?.began ?? KernelClock.realTime.now)
    result.file = known.stream
    result.gaps = books.gaps
    result.marks = books.marks
    result.client = record?.client
    return result
  }
}
