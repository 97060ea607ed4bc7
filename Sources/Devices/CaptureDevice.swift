package import Audio
internal import Linux

/// The one way from a device string to something to record from.
///
/// It is one concrete type, so an engine that is generic over `FrameSource` is specialised once for
/// it; what it hides is switched over once a call, not once a frame.
package enum CaptureDevice: ~Copyable, Sendable {
  case pcm(PCM.Capture)
  case wave(WaveCapture<KernelPace>)
  /// One that was given back.
  case closed(StreamSetup)

  /// Opens a built-in device or a PCM of ALSA's.
  package init(_ name: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
    switch try DeviceName(name, for: .capture) {
    case .alsa(let name): self = .pcm(try PCM.Capture(opening: name, request))
    case .wave(let wave):
      self = .wave(try WaveCapture(wave, named: name, request, clock: KernelPace()))
    case .null: throw .unknownBuiltIn(name: name, direction: .capture)
    }
  }

  /// What was negotiated.
  package var setup: StreamSetup {
    switch self {
    case .pcm(let source): source.setup
    case .wave(let source): source.setup
    case .closed(let setup): setup
    }
  }

  /// Gives the device up without closing it, for when a frozen sound server would never let it close.
  package consuming func abandon() {
    switch consume self {
    case .pcm(let source): source.abandon()
    case .wave: return
    case .closed: return
    }
  }

  private mutating func with<Value>(
    _ pcm: (inout PCM.Capture) throws(ALSAError) -> Value,
    _ wave: (inout WaveCapture<KernelPace>) -> Value
  ) throws(ALSAError) -> Value {
    switch consume self {
    case .pcm(var source):
      do throws(ALSAError) {
        let value = try pcm(&source)
        self = .pcm(source)
        return value
      } catch {
        self = .pcm(source)
        throw error
      }
    case .wave(var source):
      let value = wave(&source)
      self = .wave(source)
      return value
    case .closed(let setup):
      self = .closed(setup)
      throw ALSAError("snd_pcm_close", "", .noDevice)
    }
  }
}

extension CaptureDevice: FrameSource {
  package var format: StreamFormat { setup.format }
  package var capacity: FrameCount { setup.buffer }
  package var period: FrameCount { setup.period }

  package var countsLostFrames: Bool {
    switch self {
    case .pcm(let source): source.countsLostFrames
    case .wave(let source): source.countsLostFrames
    case .closed(let setup): setup.isKernelHardware
    }
  }

  package mutating func start() throws(ALSAError) {
    try with({ source throws(ALSAError) in try source.start() }, { $0.start() })
  }

  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try with(
      { source throws(ALSAError) in try source.wait(upTo: limit, wake: wake) },
      { $0.wait(upTo: limit, wake: wake) })
  }

  package mutating func read(into buffer: inout MutableRawSpan) throws(ALSAError) -> FramesRead {
    try with(
      { source throws(ALSAError) in try source.read(into: &buffer) },
      { $0.read(into: &buffer) })
  }

  package mutating func timing() throws(ALSAError) -> StreamTiming {
    try with({ source throws(ALSAError) in try source.timing() }, { $0.timing() })
  }

  package mutating func recover() throws(ALSAError) -> Bool {
    try with({ source throws(ALSAError) in try source.recover() }, { $0.recover() })
  }

  package mutating func stop() {
    switch consume self {
    case .pcm(var source):
      source.stop()
      self = .pcm(source)
    case .wave(var source):
      source.stop()
      self = .wave(source)
    case .closed(let setup): self = .closed(setup)
    }
  }

  package mutating func close() { self = .closed(setup) }
}
