internal import Audio
internal import Control
internal import Synchronization
internal import Takes

extension Microphone {
  /// Returns the sound of a microphone, without a file.
  ///
  /// ```swift
  /// for try await buffer in Microphone.buffers(AudioFormat(rate: 16_000, channels: 1)) {
  ///   print(buffer.position, buffer.samples[0])
  /// }
  /// ```
  ///
  /// The device is open only during an iteration, and each iteration opens it separately. Capturing
  /// needs the permission; `recorder permission revoke` ends it.
  /// - Parameter wish: the rate and the channels to convert to; nil for those of the device. The
  ///   samples are always `Float`.
  public static func buffers(
    from device: Device = .defaultMicrophone, _ wish: AudioFormat? = nil,
    as client: Client = .current
  ) -> Capture {
    Capture(device: device, wish: wish, client: client)
  }
}

/// The sound of a microphone, without a file. `Microphone.buffers` creates it.
public struct Capture: AsyncSequence, Sendable {
  public typealias Failure = RecorderError
  let device: Device
  let wish: AudioFormat?
  let client: Microphone.Client

  /// Returns an iterator, which opens the device with its first step.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// One iteration. The device closes when the iterator is released.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let capture: Capture
    private var listening: Listening?
    private var buffers: Updates<AudioBuffer>.AsyncIterator?

    fileprivate init(_ capture: Capture) { self.capture = capture }

    /// Returns the next buffer, or nil if the task is cancelled, which closes the device.
    ///
    /// A slow listener keeps a few seconds of sound, then misses the oldest: `lost` of the next
    /// buffer is the number of missed frames. Throws if the microphone is not allowed or the device
    /// fails.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RecorderError) -> AudioBuffer? {
      if listening == nil {
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
      var capture = CapturePlan(device: device.name)
      capture.period = .milliseconds(20)
      if let wish {
        guard let rate = SampleRate(wish.rate), let channels = ChannelCount(wish.channels) else {
          throw .format(
            "\(wish.rate) Hz with \(wish.channels) channels",
            alternatives: ["rates up to 768000 Hz with 1 to 1024 channels"])
        }
        (capture.rate, capture.channels) = (rate, channels)
      }
      var plan = RecordingPlan(
        identifier: try Recorder.identifier(), name: "meter", capture: capture,
        output: OutputPlan(path: nil, format: .raw, sample: .float32))
      plan.client = client.name
      return plan
    }
  }
}

/// A capture that runs until this object is released.
private final class Listening: Sendable {
  private let hosted: HostedListening
  private let outcome: Outcome

  /// The reason of an end that was not requested, or nil.
  private final class Outcome: Sendable {
    let failure = Mutex<(any Error)?>(nil)
  }

  private init(_ hosted: HostedListening, _ outcome: Outcome) {
    self.hosted = hosted
    self.outcome = outcome
  }

  deinit { hosted.requestEnd() }

  /// Opens the device. Cancelling the task ends the attempt.
  static func begin(
    _ plan: RecordingPlan, _ news: TakeNews
  ) async throws(RecorderError) -> Listening {
    let hosted: HostedListening
    do {
      hosted = try HostedListening(of: plan, to: news)
    } catch {
      throw RecorderError(error)
    }
    let outcome = Outcome()
    let begun: Result<Void, any Error> = await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        hosted.begin {
          waiting.resume(returning: $0.map { _ in })
        } ended: { failure in
          outcome.failure.withLock { $0 = failure }
          news.end()
        }
      }
    } onCancel: {
      hosted.requestEnd()
    }
    do {
      try begun.get()
    } catch {
      news.end()
      throw RecorderError(error)
    }
    return Listening(hosted, outcome)
  }

  var failure: (any Error)? { outcome.failure.withLock { $0 } }

  func end() { hosted.requestEnd() }
}
