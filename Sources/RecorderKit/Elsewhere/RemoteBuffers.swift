internal import Audio
internal import Control
internal import Linux
internal import Store
internal import Synchronization

extension RemoteTake {
  /// Returns the sound of the recording, as `recorder tap` writes it. The sound begins with the
  /// first call of `next`.
  ///
  /// - Parameters:
  ///   - track: the name of the only track to read, or nil for all tracks.
  ///   - format: the format of the buffers, or nil for the format of the file. For several tracks,
  ///     the format must have one channel or as many channels as all tracks together.
  ///   - client: the client that reads. It needs the permission for these tracks.
  public func buffers(
    track: String? = nil, as format: AudioFormat? = nil, client: Microphone.Client = .current
  ) -> RemoteBuffers {
    RemoteBuffers(take: self, track: track, format: format, client: client)
  }
}

/// The sound of a recording of any program. `RemoteTake.buffers` creates it.
public struct RemoteBuffers: AsyncSequence, Sendable {
  public typealias Failure = RecorderError
  let take: RemoteTake
  let track: String?
  let format: AudioFormat?
  let client: Microphone.Client

  /// Creates a listener. It connects to the recording with the first call of `next`.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// One listener.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let sound: RemoteBuffers
    private var reading: RemoteReading?
    private var buffers: Updates<AudioBuffer>.AsyncIterator?
    private var converted: ConvertedBuffers.AsyncIterator?

    fileprivate init(_ sound: RemoteBuffers) { self.sound = sound }

    /// Returns the next buffer, or nil after the end of the recording and in a cancelled task.
    ///
    /// For a slow listener, a few seconds of sound are kept. A listener that falls further behind
    /// misses the oldest sound, and `lost` of the next buffer is the number of missed frames.
    /// Throws if the client has no permission or loses it, if the last frames were missed, or if
    /// the recording program dies.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RecorderError) -> AudioBuffer? {
      if reading == nil {
        if Task.isCancelled { return nil }
        let (sound, news) = (sound, listen())
        reading = try await onThread("tap") { () throws(RecorderError) in
          try RemoteReading(sound, news)
        }
      }
      if let buffer = try await nextReceived(isolation: actor) { return buffer }
      if !Task.isCancelled, let failure = reading?.failure { throw failure }
      return nil
    }

    private mutating func nextReceived(
      isolation actor: isolated (any Actor)?
    ) async throws(RecorderError) -> AudioBuffer? {
      if converted != nil { return try await converted?.next(isolation: actor) }
      return await buffers?.next(isolation: actor)
    }

    /// Creates the source of the buffers, subscribes to it, and returns it.
    private mutating func listen() -> Broadcast<AudioBuffer> {
      let news = Broadcast<AudioBuffer>(keeping: 512, dropping: { $1.following(missed: $0) })
      if let format = sound.format {
        converted = ConvertedBuffers(source: news.updates, format: format).makeAsyncIterator()
      } else {
        buffers = news.updates.makeAsyncIterator()
      }
      return news
    }
  }
}

/// The connection to a recording of another program. A separate thread reads from the connection,
/// until this object is released.
private final class RemoteReading: Sendable {
  private let over: Awaited<Void>
  private let reason: Mutex<RecorderError?>

  /// Connects. Blocks the thread until the recording has answered.
  init(_ sound: RemoteBuffers, _ news: Broadcast<AudioBuffer>) throws(RecorderError) {
    let stream = try sound.take.reach {
      (client: consuming ControlClient) throws(ControlError) in
      try client.tap(track: sound.track, client: sound.client.name)
    }
    let channels = stream.format.channels.value
    if stream.hasSeveralTracks, let wanted = sound.format?.channelCount,
      ![1, channels].contains(wanted)
    {
      throw .format(
        "\(counted(wanted, "channel")) of several tracks",
        alternatives: ["1 channel", "\(channels) channels", "the channels of one track"])
    }
    over = try translated { try Awaited() }
    reason = Mutex(nil)
    let handoff = Handoff(stream)
    try translated {
      _ = try Thread("tap") { [over, take = sound.take, weak self] in
        guard let stream = handoff.take() else { return }
        let failure = Self.read(stream, of: take, news, until: over)
        self?.reason.withLock { $0 = failure }
        news.end()
      }
    }
  }

  deinit { over.set(()) }

  /// The failure that ended the sequence, or nil if there was none.
  var failure: RecorderError? { reason.withLock { $0 } }

  /// Sends the received frames to the listener until the end. Returns the failure, or nil if there
  /// was none.
  private static func read(
    _ stream: consuming TapStream, of take: RemoteTake, _ news: Broadcast<AudioBuffer>,
    until over: Awaited<Void>
  ) -> RecorderError? {
    var stream = stream
    let format = AudioFormat(stream.format)
    var isConnected = true
    var poll = Poll(capacity: 2)
    let stop = poll.add(over.isSet.descriptor.number)
    poll.add(stream.number)
    do {
      while true {
        switch try stream.next() {
        case (.frames(let bytes, let first), let lost)?:
          news.send(
            AudioBuffer(
              bytes: unsafe bytes.span.bytes, format: format, position: first.value,
              lost: lost.value))
        case (.end(.refused(let refusal), _), _)?: return RecorderError(refusal)
        case (.end(.done, _), let lost)?: return missing(lost)
        case nil where !isConnected:
          guard case .saved(let result) = take.end else {
            return .system("the recording ended before all of its sound was read")
          }
          return missing(stream.miss(upTo: result.writtenFrames))
        case nil:
          try poll.wait(upTo: nil)
          if !poll[stop].isEmpty { return nil }
          isConnected = stream.receive()
        }
      }
    } catch {
      return RecorderError(error)
    }
  }

  /// Returns the failure if the last frames were missed, or nil if none were missed.
  private static func missing(_ frames: FrameCount) -> RecorderError? {
    guard frames != 0 else { return nil }
    return .system(
      "the last \(frames.value) frames were missed, because they were read too late")
  }
}
