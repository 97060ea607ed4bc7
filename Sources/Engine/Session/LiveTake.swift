internal import Audio
internal import CommandLine
internal import Control
internal import Devices
internal import Files
internal import Linux
internal import Recording
internal import Synchronization

/// A take that is being recorded: the engine, where it goes, and what was known from its beginning.
final class LiveTake: Sendable {
  /// Where the frames go.
  enum Target: Sendable {
    case file(PartFile, WrittenFile, DiskSync)
    case stream(StreamOutput.Reader)
  }

  let plan: RecordingPlan
  let name: SessionName
  let recording: Recording
  let target: Target
  /// What the device delivers, and what the file holds.
  let input: StreamFormat
  let output: StreamFormat
  /// Since 1970.
  let began: Duration

  /// Begins to record into a file that is made for it.
  convenience init(
    _ plan: RecordingPlan, _ name: SessionName, from device: consuming CaptureDevice,
    into directory: consuming Directory, reopening mayReopen: @escaping @Sendable () -> Bool
  ) throws(Failure) {
    let formats = try TakeFormats(plan, device: device.format)
    let converter = try formats.converter()
    let place = try PartFile.make(in: directory, for: plan.output)
    let written = WrittenFile()
    do {
      let settings = SoundFileSettings(
        format: plan.output.format, stream: formats.file, tags: plan.output.tags)
      guard let file = place.file.take() else { preconditionFailure("the file was just made") }
      let writer = try SoundFileWriter(file, named: place.partPath, settings)
      let sync = try DiskSync(writer.file)
      let recording = try Self.record(
        plan, device, writer, converter, formats, mayReopen
      ) { file in written.put(file) }
      self.init(plan, name, recording, .file(place, written, sync), formats)
    } catch {
      place.discard()
      throw PartFile.refusal(place.path, "\(error)")
    }
  }

  /// Begins to record to the standard output.
  convenience init(
    _ plan: RecordingPlan, _ name: SessionName, from device: consuming CaptureDevice,
    to stream: consuming Descriptor, reopening mayReopen: @escaping @Sendable () -> Bool
  ) throws(Failure) {
    let formats = try TakeFormats(plan, device: device.format)
    let converter = try formats.converter()
    let file = StreamOutput(to: stream, formats.file, as: plan.output.format)
    let reader = file.reader
    do throws(SystemError) {
      let recording = try Self.record(
        plan, device, file, converter, formats, mayReopen
      ) { _ in }
      self.init(plan, name, recording, .stream(reader), formats)
    } catch {
      throw Failure(.failed, Message("cannot record: \(error)"))
    }
  }

  private init(
    _ plan: RecordingPlan, _ name: SessionName, _ recording: Recording, _ target: Target,
    _ formats: TakeFormats
  ) {
    self.plan = plan
    self.name = name
    self.recording = recording
    self.target = target
    input = formats.device
    output = formats.file
    began = KernelClock.realTime.now
  }

  private static func record<File: TakeFile & ~Copyable>(
    _ plan: RecordingPlan, _ device: consuming CaptureDevice, _ file: consuming File,
    _ converter: consuming Resampler?, _ formats: TakeFormats,
    _ mayReopen: @escaping @Sendable () -> Bool, keep: @escaping @Sendable (consuming File) -> Void
  ) throws(SystemError) -> Recording {
    var settings = RecordingSettings()
    settings.changes = formats.changes
    settings.limits = TakeLimits(
      frames: plan.limits.duration.map { FrameCount($0, at: formats.device.rate) },
      bytes: plan.limits.size)
    settings.voice = plan.voice ?? VoiceSettings()
    settings.patience = plan.reconnect
    settings.seed = UInt64(KernelClock.monotonic.now.components.attoseconds)
    let name = plan.capture.device
    let request = DeviceRequest(
      exactly: formats.device, period: plan.capture.period, buffer: plan.capture.buffer)
    return try Recording(
      from: device, to: file, converter: converter, settings,
      reopen: {
        guard mayReopen() else { return nil }
        return try? CaptureDevice(name, request)
      }, finish: { file, _ in keep(file) })
  }
}

extension LiveTake {
  /// The file that it becomes; nil for the standard output.
  var place: PartFile? { if case .file(let place, _, _) = target { place } else { nil } }

  /// What is left on the disk while it runs, with what is known only now.
  func completing(_ record: SessionRecord) -> SessionRecord {
    var record = record
    record.path = place?.path
    record.part = place?.partPath
    record.began = began
    return record
  }
}

/// Carries a written file from the thread that wrote it to the one that ends it.
final class WrittenFile: Sendable {
  private let file = Mutex<SoundFileWriter?>(nil)

  func put(_ writer: consuming SoundFileWriter) {
    let handoff = Handoff(writer)
    file.withLock { $0 = handoff.take() }
  }

  func take() -> SoundFileWriter? { file.withLock { $0.take() } }
}

extension OutputPlan {
  /// What the file says about itself.
  var tags: SoundFileTags {
    var tags: SoundFileTags = [.software: "recorder \(Version.current)"]
    tags[.title] = title
    tags[.comment] = note
    tags[.date] = WallTime.now.rfc3339
    return tags
  }
}
