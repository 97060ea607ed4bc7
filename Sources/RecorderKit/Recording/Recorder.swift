internal import Audio
internal import Control
internal import Linux
internal import Takes

/// A description of a recording. No device is opened before `start`.
///
/// ```swift
/// var recorder = Recorder()
/// recorder.maximumDuration = .seconds(60)
/// let result = try await recorder.record(to: "memo.flac")
/// print(result.duration, result.isComplete)
/// ```
///
/// A recording survives a crash of the program, except for the last half second: `recorder recover`
/// completes the file.
public struct Recorder: Sendable {
  /// The capture device.
  public var device: Device
  /// The rate of the file in hertz, or nil for the rate of the device.
  public var sampleRate: Int?
  /// The number of channels of the file, or nil for the channels of the device, at most two.
  public var channelCount: Int?
  /// The sample format of the file, or nil for 16-bit integers.
  public var sampleFormat: AudioFormat.SampleFormat?
  /// The file format, or nil to choose it by the filename extension.
  public var format: FileFormat?
  /// The length at which the recording ends, or nil for no limit.
  public var maximumDuration: Duration?
  /// The file size in bytes at which the recording ends, or nil for no limit.
  public var maximumFileSize: Int64?
  /// The length at which a new file begins, or nil for a single file.
  public var segmentDuration: Duration?
  /// The time between two deliveries of the device. Levels and buffers arrive at the same interval.
  public var bufferDuration = Duration.milliseconds(20)
  /// The maximum wait for a disconnected device, or nil to end the recording immediately.
  public var reconnectTimeout: Duration?
  /// The name in `recorder status`, or nil for the name of the client. If the name of the client is
  /// in use, a number is added.
  public var name: String?
  /// The title and the comment. WAV, FLAC and Opus files contain them. For other formats, a sidecar
  /// file contains them.
  public var title: String?, comment: String?
  /// The client that uses the microphone.
  public var client: Microphone.Client
  /// Whether frames are recorded only after a trigger. The device is opened before the trigger.
  package var isArmed = false

  /// Creates a recorder without limits.
  public init(from device: Device = .defaultMicrophone, client: Microphone.Client = .current) {
    self.device = device
    self.client = client
  }

  /// The file formats that can be written.
  public enum FileFormat: Hashable, Sendable, CaseIterable {
    /// RIFF WAVE; RF64 from 4 GiB on.
    case wav
    /// Free Lossless Audio Codec.
    case flac
    /// Opus in Ogg.
    case opus
    /// Apple's Core Audio Format.
    case caf
    /// Apple's Audio Interchange File Format, of less than 4 GiB. A file with floating-point
    /// samples is AIFF-C.
    case aiff
    /// Little-endian samples without a header.
    case raw
  }
}

extension Recorder {
  /// Starts to record, and returns once the first frame is captured.
  ///
  /// An existing file is replaced only if `replacingExisting` is true. The complete recording
  /// replaces it at the end. If the task is cancelled before the first frame, `start` throws
  /// `alreadyEnded` and leaves no file.
  /// - Parameter path: the file. Its extension chooses the format if `format` is nil. A relative
  ///   path is resolved now, against the working directory.
  public func start(
    to path: String, replacingExisting: Bool = false
  ) async throws(RecorderError) -> Take {
    let plan = try plan(path, replacingExisting)
    let hosted = Endable<HostedRecording>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        begin(plan, in: hosted) { waiting.resume(returning: $0) }
      }
    } onCancel: {
      hosted.end { $0.requestEnd() }
    }
    return try result.get()
  }

  /// Records until the recording ends for any reason, and returns the result.
  ///
  /// Cancelling the task ends the recording as `stop` does: the recorded frames are saved, and the
  /// result is returned.
  /// - Parameter watching: a closure that is called with the recording once it runs. The closure
  ///   may end the recording. `record` waits until the closure returns.
  @discardableResult
  public func record(
    to path: String, replacingExisting: Bool = false,
    watching: (@Sendable (Take) async -> Void)? = nil
  ) async throws(RecorderError) -> Take.Result {
    let take = try await start(to: path, replacingExisting: replacingExisting)
    return await withTaskCancellationHandler {
      async let watched: Void? = watching?(take)
      let result = await take.result
      _ = await watched
      return result
    } onCancel: {
      take.requestStop()
    }
  }

  /// The same as `start`, as a blocking call. Never use it on a thread of Swift concurrency.
  package func startWaiting(
    to path: String, replacingExisting: Bool = false
  ) throws(RecorderError) -> Take {
    let plan = try plan(path, replacingExisting)
    let result: Result<Take, RecorderError> = try awaiting { begin(plan, in: Endable(), $0) }
    return try result.get()
  }
}

extension Recorder {
  /// Removes the file of a recording that has ended, and its sidecar.
  package static func removeFile(at path: String) throws(RecorderError) {
    try translated(of: path) {
      let (parent, name) = path.pathParts
      let directory = try Directory(parent)
      try directory.remove(name)
      Sidecar.remove(beside: name, in: directory)
    }
  }
}

extension Recorder {
  private func plan(_ path: String, _ replacing: Bool) throws(RecorderError) -> RecordingPlan {
    try Microphone.checkCall()
    let chosen = try chosenFormat(path)
    var capture = CapturePlan(device: device.id)
    capture.rate = try sampleRate.map { hertz throws(RecorderError) in
      try Self.known(SampleRate(hertz), "\(hertz) Hz", ["1 to 768,000 Hz"])
    }
    capture.channels = try channelCount.map { count throws(RecorderError) in
      try Self.known(
        ChannelCount(count), "\(count) channels", ["1 to \(chosen.mostRecordedChannels) channels"])
    }
    capture.period = try Self.positive(bufferDuration, "bufferDuration")
    var output = OutputPlan(path: Program.absolutePath(of: path), format: chosen)
    output.sample = try sampleFormat.map { sample throws(RecorderError) in
      let stored = SampleFormat(sample == .int24 ? .int24Packed : sample)
      let isPossible = chosen.samples.contains(stored)
      return try Self.known(
        isPossible ? stored : nil, "\(sample) in \(chosen)", chosen.samples.map { "\($0)" })
    }
    (output.replaces, output.title, output.note) = (replacing, title, comment)
    output.split = try segmentDuration.map { length throws(RecorderError) in
      SplitPlan(length: try Self.positive(length, "segmentDuration"))
    }
    let longest = try maximumDuration.map { length throws(RecorderError) in
      try Self.positive(length, "maximumDuration")
    }
    var plan = RecordingPlan(
      identifier: try Self.identifier(), name: name ?? client.sessionName, capture: capture,
      output: output, limits: RecordingLimits(duration: longest, size: maximumFileSize))
    plan.client = client.name
    plan.reconnect = reconnectTimeout.map { min(max(.zero, $0), Self.mostTime) }
    if isArmed {
      var voice = VoiceSettings()
      voice.isArmed = true
      // If a trigger comes up to 1 s late, the recording still begins at the intended frame.
      voice.preRoll = .seconds(1)
      plan.voice = voice
    }
    return plan
  }

  private func chosenFormat(_ path: String) throws(RecorderError) -> Audio.FileFormat {
    if path.ends(with: "/") || path.isEmpty { throw .file(path, "it is not a file name") }
    if let format { return Audio.FileFormat(format) }
    let ending = path.pathNames.last?.nameParts.ending.dropFirst() ?? ""
    if ending.isEmpty { return .wav }
    let known = Audio.FileFormat.allCases.flatMap(\.suffixes).map { "." + $0 }
    return try Self.known(Audio.FileFormat(suffix: String(ending)), "." + ending, known)
  }

  private static func known<Value>(
    _ value: Value?, _ words: String, _ alternatives: [String]
  ) throws(RecorderError) -> Value {
    if let value { return value }
    throw .format(words, alternatives: alternatives)
  }

  /// The limit of all durations: 100 years. Durations up to this limit can be counted in frames.
  private static let mostTime = Duration.seconds(100 * 365 * 86_400)

  private static func positive(
    _ length: Duration, _ name: String
  ) throws(RecorderError) -> Duration {
    if length > .zero { return min(length, mostTime) }
    throw .invalid("“\(name)” must be more than 0")
  }

  static func identifier() throws(RecorderError) -> String {
    try translated { try RandomBytes.hexadecimal(8) }
  }
}

extension Audio.FileFormat {
  fileprivate init(_ format: Recorder.FileFormat) {
    switch format {
    case .wav: self = .wav
    case .flac: self = .flac
    case .opus: self = .opus
    case .caf: self = .caf
    case .aiff: self = .aiff
    case .raw: self = .raw
    }
  }
}

extension Recorder {
  /// The maximum number of names to try if a client has several recordings.
  private static let mostNames = 64

  /// Starts the recording. The closure receives the recording once its first frame is captured, or
  /// the error.
  private func begin(
    _ wanted: RecordingPlan, _ number: Int = 1, in slot: Endable<HostedRecording>,
    _ told: @escaping @Sendable (Result<Take, RecorderError>) -> Void
  ) {
    var plan = wanted
    if number > 1 { plan.name += "-\(number)" }
    let news = TakeNews()
    let hosted: HostedRecording
    do {
      hosted = try HostedRecording(of: plan, monitor: news, completed: news.completed)
    } catch {
      return told(.failure(RecorderError(error)))
    }
    if !slot.set(hosted) { return told(.failure(.ended)) }
    // Create the take before `begin` is called, so that an immediate end is not missed.
    let take = Take(hosted, news)
    // Wait longer for a name that the caller chose, because no other name is tried in this case.
    let isNamed = name != nil
    let patience = Duration.milliseconds(isNamed ? 300 : 10)
    hosted.begin(namePatience: patience) { result in
      switch result {
      case .success: told(.success(take))
      case .failure(TakeError.nameInUse) where !isNamed && number < Self.mostNames:
        begin(wanted, number + 1, in: slot, told)
      case .failure(let error): told(.failure(RecorderError(error)))
      }
    }
  }
}
