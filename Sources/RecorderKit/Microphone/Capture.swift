internal import Audio
internal import Control
internal import Synchronization
internal import Takes

extension Microphone {
  /// Returns the sound of a microphone, without a file.
  ///
  /// ```swift
  /// let speech = AudioFormat(sampleRate: 16_000, channelCount: 1)
  /// for try await buffer in Microphone.buffers(format: speech) {
  ///   print(buffer.position, buffer.samples[0])
  /// }
  /// ```
  ///
  /// The device is open only during an iteration, and each iteration opens it separately. The
  /// capture needs the permission, and `recorder permission revoke` ends the capture. The iteration
  /// throws if the device or the conversion does not support the format.
  /// - Parameter format: the format of the buffers, or nil for the rate of the device, at most two
  ///   of its channels, and `float32`.
  public static func buffers(
    from device: Device = .defaultMicrophone, format: AudioFormat? = nil,
    client: Client = .current
  ) -> Capture {
    Capture(device: device, format: format, client: client)
  }
}

/// The sound of a microphone, without a file. `Microphone.buffers` creates it.
public struct Capture: AsyncSequence, Sendable {
  public typealias Failure = RecorderError
  let device: Device
  let format: AudioFormat?
  let client: Microphone.Client

  /// Returns an iterator. Its first step opens the device.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// One iteration. The device closes when the iterator is released.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let capture: Capture
    private var listening: Listening?
    private var buffers: Updates<AudioBuffer>.AsyncIterator?

    fileprivate init(_ capture: Capture) { self.capture = capture }

    /// Returns the next buffer, or nil if the task is cancelled. A cancellation also closes the
    /// device.
    ///
    /// For a slow listener, a few seconds of sound are kept. A listener that falls further behind
    /// misses the oldest sound, and `lost` of the next buffer is the number of missed frames.
    /// Throws if the microphone is not allowed or the device fails.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RecorderError) -> AudioBuffer? {
      if listening == nil {
        if Task.isCancelled { return nil }
        let news = TakeNews()
        // Subscribe before the device opens, so that no frame is missed.
        buffers = news.buffers.updates.makeAsyncIterator()
        listening = try await Listening.begin(capture.plan, news)
      }
      if let buffer = await buffers?.next(isolation: actor) { return buffer }
      guard let over = listening else { return nil }
      over.end()
      if Task.isCancelled { return nil }
      if let failure = over.failure { throw RecorderError(failure) }
      return nil
    }
  }

  private var plan: RecordingPlan {
    get throws(RecorderError) {
      try Microphone.checkCall()
      let stream = try format?.stream
      var capture = CapturePlan(device: device.id)
      capture.period = .milliseconds(20)
      (capture.rate, capture.channels) = (stream?.rate, stream?.channels)
      var plan = RecordingPlan(
        identifier: try Recorder.identifier(), name: "meter", capture: capture,
        output: OutputPlan(path: nil, format: .raw, sample: stream?.sample ?? .float32))
      plan.client = client.name
      return plan
    }
  }
}

/// A capture that runs until this object is released.
private final class Listening: Sendable {
  private let hosted: HostedListening
  /// The failure that ended the capture, or nil if there was none.
  private let reason = Mutex<(any Error)?>(nil)

  private init(_ hosted: HostedListening) { self.hosted = hosted }

  deinit { hosted.requestEnd() }

  /// Opens the device. Returns nil if the task is cancelled before the device is open.
  static func begin(
    _ plan: RecordingPlan, _ news: TakeNews
  ) async throws(RecorderError) -> Listening? {
    let hosted = try translated { try HostedListening(of: plan, to: news) }
    let listening = Listening(hosted)
    let begun: Result<Void, any Error> = await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        hosted.begin {
          waiting.resume(returning: $0.map { _ in })
        } ended: { [weak listening] failure in
          listening?.reason.withLock { $0 = failure }
          news.end()
        }
      }
    } onCancel: {
      hosted.requestEnd()
    }
    if case .failure = begun { news.end() }
    if case .failure(TakeError.stoppedBeforeOpen) = begun, Task.isCancelled { return nil }
    try translated { try begun.get() }
    return listening
  }

  var failure: (any Error)? { reason.withLock { $0 } }

  func end() { hosted.requestEnd() }
}
