package import Audio
package import Control
package import Devices
package import Files
package import Linux
package import Recording
package import Store

/// A running take: its recording, its target and the facts from its beginning.
package final class LiveTake: Sendable {
  /// The target of the frames.
  package enum Target: Sendable {
    case file(TakeSeries)
    case stream(StreamOutput.Reader)
  }

  /// The plan of the take.
  package let plan: RecordingPlan
  /// The name of the session. It is valid in file names.
  package let name: SessionName
  /// The recording, whose threads capture and write.
  package let recording: Recording
  /// The files of the take, or the reader of the standard output.
  package let target: Target
  /// The tracks, with their channels in the frames that are written.
  package let tracks: [Track]
  /// The programs that read the frames while they are recorded.
  let taps: TakeTaps
  private let details: TrackDetails
  /// The format that the device delivers.
  package let input: StreamFormat
  /// The format of the frames that are written.
  package let output: StreamFormat
  /// The time of the start, since 1970.
  package let began: Duration

  /// Creates a file and starts to record to it.
  package convenience init(
    _ plan: RecordingPlan, _ name: SessionName, from device: consuming CaptureDevice,
    into directory: consuming Directory, _ store: MachineStore, _ host: any TakeHost,
    reopening mayReopen: @escaping @Sendable (borrowing CaptureDevice) -> Bool,
    monitor: (any TakeMonitor)? = nil
  ) throws {
    let formats = try TakeFormats(plan, device: device.setup)
    let converter = try formats.converter()
    let first = try TakeSeries.firstPartFile(plan, store, in: directory)
    let series = TakeSeries(
      plan, formats, store, host, from: first.partFile, number: first.number)
    let file = try series.open(first.partFile)
    let details = TrackDetails(of: device)
    let taps = TakeTaps(beside: monitor)
    do {
      let recording = try Self.record(
        plan, device, details, file, converter, formats, series.files, mayReopen, taps)
      self.init(plan, name, recording, .file(series), formats, details, taps)
    } catch {
      try? first.partFile.discard()
      throw TakeError.output(first.partFile.path, .failed(error))
    }
  }

  /// Starts to record to the standard output.
  package convenience init(
    _ plan: RecordingPlan, _ name: SessionName, from device: consuming CaptureDevice,
    to stream: consuming Descriptor,
    reopening mayReopen: @escaping @Sendable (borrowing CaptureDevice) -> Bool
  ) throws {
    let formats = try TakeFormats(plan, device: device.setup)
    let converter = try formats.converter()
    let file = StreamOutput(to: stream, formats.file, as: plan.output.format)
    let reader = file.reader
    let details = TrackDetails(of: device)
    let taps = TakeTaps(beside: nil)
    let files = TakeFiles<StreamOutput>(complete: { output, _, _ in output.complete() })
    let recording = try Self.record(
      plan, device, details, file, converter, formats, files, mayReopen, taps)
    self.init(plan, name, recording, .stream(reader), formats, details, taps)
  }

  private init(
    _ plan: RecordingPlan, _ name: SessionName, _ recording: Recording, _ target: Target,
    _ formats: TakeFormats, _ details: TrackDetails, _ taps: TakeTaps
  ) {
    self.plan = plan
    self.name = name
    self.recording = recording
    self.target = target
    tracks = formats.tracks
    self.details = details
    self.taps = taps
    input = formats.device
    output = formats.file
    began = KernelClock.realTime.now
  }

  private static func record<File: TakeFile & ~Copyable>(
    _ plan: RecordingPlan, _ device: consuming CaptureDevice, _ details: TrackDetails,
    _ file: consuming File, _ converter: consuming Resampler?, _ formats: TakeFormats,
    _ files: TakeFiles<File>, _ mayReopen: @escaping @Sendable (borrowing CaptureDevice) -> Bool,
    _ taps: TakeTaps
  ) throws(SystemError) -> Recording {
    var settings = RecordingSettings()
    settings.monitor = taps
    settings.changes = formats.changes
    settings.tracks = formats.sources
    settings.limits = TakeLimits(
      frames: plan.limits.duration.map { FrameCount($0, at: formats.device.rate) },
      bytes: [plan.limits.size, formats.mostBytes(of: plan.output)].compactMap(\.self).min(),
      split: plan.output.split.map { split in
        split.isAligned
          ? .aligned(split.length) : .every(FrameCount(split.length, at: formats.device.rate))
      })
    settings.voice = plan.voice ?? VoiceSettings()
    settings.patience = plan.reconnect
    settings.seed = UInt64(KernelClock.monotonic.now.components.attoseconds)
    let request = DeviceRequest(
      exactly: formats.device, period: plan.capture.period, buffer: plan.capture.buffer)
    return try Recording(
      from: device, to: file, converter: converter, settings, files: files,
      reopen: {
        // Open the device before its card is checked. Opening is cheap, and if it fails, the
        // expensive identification of the card is not needed. Nothing is captured before the device
        // is started.
        guard let device = try? CaptureDevice(formats.sources, request),
          mayReopen(device)
        else { return nil }
        details.follow(device)
        return device
      })
  }
}

extension LiveTake {
  /// The file that is being written, or nil for the standard output.
  package var partFile: PartFile? {
    if case .file(let series) = target { series.partFile } else { nil }
  }

  /// The number of further files that could not be created, and the last error.
  var refusals: TakeSeries.Refusals {
    if case .file(let series) = target { series.refusals } else { (0, nil) }
  }

  /// Finishes the current file or the stream on another thread.
  package func finish(_ result: RecordingResult) throws(SystemError) -> TakeFinish {
    if case .file(let series) = target { return try series.finish(result) }
    return try TakeFinish(result) { $0 }
  }

  /// Writes the current paths of the files to the store. Does nothing for the standard output.
  package func follow() { if case .file(let series) = target { series.follow() } }

  /// Adds an event for each track whose device has changed since the last call.
  func noteDevices() {
    for (index, former, present) in details.takeChanges() {
      let track = plan.capture.tracks.indices.contains(index) ? plan.capture.tracks[index] : nil
      recording.noteDevice(ofTrack: track?.name, from: former, to: present)
    }
  }

  /// The tracks whose device is missing.
  var absent: [Track] { plan.capture.tracks[recording.missing] }

  /// The tracks whose clock differs too much from the clock of the first track.
  var unsteady: [Track] { plan.capture.tracks[details.tracks(where: \.isBeyondRange)] }

  /// The tracks of programs that play nothing now.
  var idle: TrackSet { details.tracks(where: \.isIdle) }

  /// Deletes older files of the series to free space on the disk. Returns false if no file may be
  /// deleted.
  package func makeRoom(of bytes: Int64) -> Bool {
    guard case .file(let series) = target else { return false }
    // A disk may take some time to report the space of deleted files as free. The frames that
    // arrive in this time need space, too.
    let coming = Double(output.bytesPerSecond) * (TakeSeries.roomPatience / .seconds(1))
    return series.makeRoom(of: bytes + Int64(coming))
  }

  /// Returns the facts of the take at this progress, without the path of its file.
  func facts(after progress: TakeProgress) -> TakeFacts {
    var facts = TakeFacts(
      identifier: plan.identifier, name: name.text, device: plan.capture.device, stream: input,
      format: plan.output.format)
    facts.tracks = tracks
    details.set(in: &facts.tracks)
    facts.tracks.set(progress.trackGaps, most: TakeFacts.mostGaps)
    facts.tracks.set(peaks: progress.highest.channelPeaks)
    facts.client = plan.client
    facts.file = output
    facts.frames = progress.frames
    facts.gaps = Array(progress.gaps.suffix(TakeFacts.mostGaps))
    facts.highestPeak = progress.highest.peak
    facts.bytes = progress.bytes
    facts.marks = progress.marks
    return facts
  }

  /// Returns the session's record with the facts that are known once the take has begun.
  package func completing(_ record: SessionRecord) -> SessionRecord {
    var record = record
    record.path = partFile?.path
    record.parts = [partFile?.recorded].compactMap(\.self)
    record.began = began
    record.tracks = tracks
    record.output = plan.output
    record.stream = input
    record.file = output
    return record
  }
}

extension OutputPlan {
  /// Returns the tags for the file of a take that began at `moment`.
  package func tags(at moment: WallTime = .now) -> SoundFileTags {
    var tags: SoundFileTags = [.software: "recorder \(Version.current)"]
    tags[.title] = title
    tags[.comment] = note
    tags[.date] = moment.rfc3339
    return tags
  }
}
