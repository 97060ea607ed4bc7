package import Audio
package import Linux

/// A playback device of any kind, opened by its device string. It is one concrete type, so code
/// that is generic over `FrameSink` is specialized once for it.
package enum PlaybackDevice: ~Copyable, Sendable {
  /// An ALSA PCM.
  case pcm(PCM.Playback)
  /// The built-in device `test:null`, paced by the kernel's clock.
  case null(NullPlayback<KernelStreamClock>)

  /// Opens the built-in device or an ALSA PCM.
  package init(_ name: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
    switch try DeviceName(name, for: .playback) {
    case .alsa(let name): self = .pcm(try PCM.Playback(opening: name, request))
    case .null: self = .null(NullPlayback(named: name, request, clock: KernelStreamClock()))
    case .wave, .played: throw .unknownBuiltIn(name: name, direction: .playback)
    }
  }

  /// The negotiated setup.
  package var setup: StreamSetup {
    switch self {
    case .pcm(let sink): sink.setup
    case .null(let sink): sink.setup
    }
  }

  private mutating func with<Value>(
    _ pcm: (inout PCM.Playback) throws(StreamError) -> Value,
    _ null: (inout NullPlayback<KernelStreamClock>) -> Value
  ) throws(StreamError) -> Value {
    switch consume self {
    case .pcm(var sink):
      do throws(StreamError) {
        let value = try pcm(&sink)
        self = .pcm(sink)
        return value
      } catch {
        self = .pcm(sink)
        throw error
      }
    case .null(var sink):
      let value = null(&sink)
      self = .null(sink)
      return value
    }
  }
}

extension PlaybackDevice: FrameSink {
  /// The format of the frames for `write`.
  package var format: StreamFormat { setup.format }
  /// The size of the device's buffer in frames.
  package var capacity: FrameCount { setup.buffer }

  /// Starts the playback of the written frames.
  package mutating func start() throws(StreamError) {
    try with({ sink throws(StreamError) in try sink.start() }, { $0.start() })
  }

  /// Waits until there is room for a period, `wake` becomes readable or `limit` has passed.
  package mutating func wait(upTo limit: Duration, wake: Int32) throws(StreamError) -> Readiness {
    try with(
      { sink throws(StreamError) in try sink.wait(upTo: limit, wake: wake) },
      { $0.wait(upTo: limit, wake: wake) })
  }

  /// Writes whole frames. Returns the number that the device accepted, or 0 if it needs no frames
  /// now.
  package mutating func write(_ frames: RawSpan) throws(StreamError) -> Int {
    try with(
      { sink throws(StreamError) in try sink.write(frames) }, { $0.write(frames) })
  }

  /// Returns the position of the stream and the time at which it was measured.
  package mutating func timing() throws(StreamError) -> StreamTiming {
    try with({ sink throws(StreamError) in try sink.timing() }, { $0.timing() })
  }

  /// Prepares a stopped stream. Returns false if another attempt is needed.
  package mutating func recover() throws(StreamError) -> Bool {
    try with({ sink throws(StreamError) in try sink.recover() }, { $0.recover() })
  }

  /// Rewinds the stream over the last written frames, so that they can be written again. Returns
  /// false if these frames may be about to play, or if the device cannot rewind.
  package mutating func takeBack(_ frames: FrameCount) -> Bool {
    (try? with({ $0.takeBack(frames) }, { $0.takeBack(frames) })) ?? false
  }

  /// Stops the playback and drops the frames that have not played. The device stays open.
  package mutating func stop() {
    switch consume self {
    case .pcm(var sink):
      sink.stop()
      self = .pcm(sink)
    case .null(var sink):
      sink.stop()
      self = .null(sink)
    }
  }
}
