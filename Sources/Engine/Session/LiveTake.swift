internal import Audio
internal import CommandLine
internal import Control
internal import Devices
internal import Files
internal import Linux
internal import Recording
internal import Store

/// A take that is being recorded: the engine, where it goes, and what was known from its beginning.
final class LiveTake: Sendable {
  /// Where the frames go.
  enum Target: Sendable {
    case file(TakeSeries)
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
    into directory: consuming Directory, _ store: SessionStore,
    reopening mayReopen: @escaping @Sendable (OpenedCard?) -> Bool
  ) throws(Failure) {
    let formats = try TakeFormats(plan, device: device.format)
    let converter = try formats.converter()
    let first = try TakeSeries.firstPlace(plan, store, in: directory)
    let series = TakeSeries(plan, formats, store, from: first.place, number: first.number)
    let file = try series.open(first.place)
    do throws(SystemError) {
      let recording = try Self.record(
        plan, device, file, converter, formats, series.files, mayReopen)
      self.init(plan, name, recording, .file(series), formats)
    } catch {
      first.place.discard()
      throw PartFile.refusal(first.place.path, "\(error)")
    }
  }

  /// Begins to record to the standard output.
  convenience init(
    _ plan: RecordingPlan, _ name: SessionName, from device: consuming CaptureDevice,
    to stream: consuming Descriptor, reopening mayReopen: @escaping @Sendable (OpenedCard?) -> Bool
  ) throws(Failure) {
    let formats = try TakeFormats(plan, device: device.format)
    let converter = try formats.converter()
    let file = StreamOutput(to: stream, formats.file, as: plan.output.format)
    let reader = file.reader
    do throws(SystemError) {
      let recording = try Self.record(
        plan, device, file, converter, formats, TakeFiles { _, _, _ in }, mayReopen)
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
    _ converter: consuming Resampler?, _ formats: TakeFormats, _ files: TakeFiles<File>,
    _ mayReopen: @escaping @Sendable (OpenedCard?) -> Bool
  ) throws(SystemError) -> Recording {
    var settings = RecordingSettings()
    settings.changes = formats.changes
    settings.limits = TakeLimits(
      frames: plan.limits.duration.map { FrameCount($0, at: formats.device.rate) },
      bytes: plan.limits.size,
      split: plan.output.split.map { split in
        split.isAligned
          ? .aligned(split.length) : .every(FrameCount(split.length, at: formats.device.rate))
      })
    settings.voice = plan.voice ?? VoiceSettings()
    settings.patience = plan.reconnect
    settings.seed = UInt64(KernelClock.monotonic.now.components.attoseconds)
    let name = plan.capture.device
    let request = DeviceRequest(
      exactly: formats.device, period: plan.capture.period, buffer: plan.capture.buffer)
    return try Recording(
      from: device, to: file, converter: converter, settings, files: files,
      reopen: {
        // Whether a card is there is soon known, and which one it is costs much; nothing is heard before it is started.
        guard let device = try? CaptureDevice(name, request), mayReopen(device.setup.card) else {
          return nil
        }
        return device
      })
  }
}

extension LiveTake {
  /// The file that is written; nil for the standard output.
  var place: PartFile? { if case .file(let series) = target { series.place } else { nil } }

  /// Ends it where it is written.
  func finish(_ result: RecordingResult) throws(SystemError) -> TakeFinish {
    if case .file(let series) = target { return try series.finish(result) }
    return try TakeFinish(result) { $0 }
  }

  /// What is left on the disk while it runs, with what is known only now.
  func completing(_ record: SessionRecord) -> SessionRecord {
    var record = record
    record.path = place?.path
    record.part = place?.partPath
    record.began = began
    record.output = plan.output
    record.stream = input
    record.file = output
    return record
  }
}

extension OutputPlan {
  /// What the file says about itself.
  var tags: SoundFileTags { tags(at: .now) }

  /// The same for a take that began at `moment`.
  func tags(at moment: WallTime) -> SoundFileTags {
    var tags: SoundFileTags = [.software: "recorder \(Version.current)"]
    tags[.title] = title
    tags[.comment] = note
    tags[.date] = moment.rfc3339
    return tags
  }
}
