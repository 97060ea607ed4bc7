package import Audio

/// The one way from a device string to something to play on; shaped as `CaptureDevice`, for the same reason.
package enum PlaybackDevice: ~Copyable, Sendable {
  case pcm(PCM.Playback)
  case null(NullPlayback<KernelPace>)

  /// Opens the built-in device or a PCM of ALSA's.
  package init(_ name: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
    switch try DeviceName(name, for: .playback) {
    case .alsa(let name): self = .pcm(try PCM.Playback(opening: name, request))
    case .null: self = .null(NullPlayback(named: name, request, clock: KernelPace()))
    case .wave: throw .unknownBuiltIn(name: name, direction: .playback)
    }
  }

  /// What was negotiated.
  package var setup: StreamSetup {
    switch self {
    case .pcm(let sink): sink.setup
    case .null(let sink): sink.setup
    }
  }

  /// Gives the device up without closing it, for when a frozen sound server would never let it close.
  package consuming func abandon() {
    switch consume self {
    case .pcm(let sink): sink.abandon()
    case .null: return
    }
  }

  private mutating func with<Value>(
    _ pcm: (inout PCM.Playback) throws(ALSAError) -> Value,
    _ null: (inout NullPlayback<KernelPace>) -> Value
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
  package var format: StreamFormat { setup.format }
  package var capacity: FrameCount { setup.buffer }

  package mutating func start() throws(ALSAError) {
    try with({ sink throws(ALSAError) in try sink.start() }, { $0.start() })
  }

  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try with(
      { sink throws(ALSAError) in try sink.wait(upTo: limit, wake: wake) },
      { $0.wait(upTo: limit, wake: wake) })
  }

  package mutating func write(_ frames: RawSpan) throws(ALSAError) -> Int {
    try with(
      { sink throws(ALSAError) in try sink.write(frames) }, { $0.write(frames) })
  }

  package mutating func timing() throws(ALSAError) -> StreamTiming {
    try with({ sink throws(ALSAError) in try sink.timing() }, { $0.timing() })
  }

  package mutating func recover() throws(ALSAError) -> Bool {
    try with({ sink throws(ALSAError) in try sink.recover() }, { $0.recover() })
  }

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
