package import Audio
package import Linux

/// A playback device of any kind, opened by its device string; shaped as `CaptureDevice`, for the
/// same reason.
package enum PlaybackDevice: ~Copyable, Sendable {
  /// A PCM of ALSA's.
  case pcm(PCM.Playback)
  /// The built-in device `test:null`, which paces itself by the kernel's clock.
  case null(NullPlayback<KernelStreamClock>)

  /// Opens the built-in device or a PCM of ALSA's; throws with the reason and the alternatives.
  package init(_ name: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
    switch try DeviceName(name, for: .playback) {
    case .alsa(let name): self = .pcm(try PCM.Playback(opening: name, request))
    case .null: self = .null(NullPlayback(named: name, request, clock: KernelStreamClock()))
    case .wave: throw .unknownBuiltIn(name: name, direction: .playback)
    }
  }

  /// The setup that was negotiated.
  package var setup: StreamSetup {
    switch self {
    case .pcm(let sink): sink.setup
    case .null(let sink): sink.setup
    }
  }

  /// Gives the device up without closing it, for a frozen sound server that would never let it
  /// close.
  package consuming func abandon() {
    switch consume self {
    case .pcm(let sink): sink.abandon()
    case .null: return
    }
  }

  private mutating func with<Value>(
    _ pcm: (inout PCM.Playback) throws(ALSAError) -> Value,
    _ null: (inout NullPlayback<KernelStreamClock>) -> Value
  ) throws(ALSAError) -> Value {
    switch consume self {
    case .pcm(var sink):
      do throws(ALSAError) {
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
  /// The format of the frames that `write` takes.
  package var format: StreamFormat { setup.format }
  /// The frames that the device's buffer holds.
  package var capacity: FrameCount { setup.buffer }

  /// Starts the playback of the frames that were written.
  package mutating func start() throws(ALSAError) {
    try with({ sink throws(ALSAError) in try sink.start() }, { $0.start() })
  }

  /// Waits until a period has room, `wake` becomes readable or `limit` has passed.
  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try with(
      { sink throws(ALSAError) in try sink.wait(upTo: limit, wake: wake) },
      { $0.wait(upTo: limit, wake: wake) })
  }

  /// Writes whole frames and returns the number that the device took; 0 while its buffer is full.
  package mutating func write(_ frames: RawSpan) throws(ALSAError) -> Int {
    try with(
      { sink throws(ALSAError) in try sink.write(frames) }, { $0.write(frames) })
  }

  /// The position of the stream, with the instant at which it was taken.
  package mutating func timing() throws(ALSAError) -> StreamTiming {
    try with({ sink throws(ALSAError) in try sink.timing() }, { $0.timing() })
  }

  /// Prepares a stopped stream; false where that needs another attempt.
  package mutating func recover() throws(ALSAError) -> Bool {
    try with({ sink throws(ALSAError) in try sink.recover() }, { $0.recover() })
  }

  /// Takes back the last frames that were written; false where they may be about to play.
  package mutating func takeBack(_ frames: FrameCount) -> Bool {
    (try? with({ $0.takeBack(frames) }, { $0.takeBack(frames) })) ?? false
  }

  /// Stops the playback and drops the frames that were not played; the device stays open.
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
