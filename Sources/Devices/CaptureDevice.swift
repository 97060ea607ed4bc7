package import Audio
package import Linux

/// A capture device of any kind, opened by its device string.
///
/// It is one concrete type, so an engine that is generic over `FrameSource` is specialised once for
/// it; the kind of device is switched over once a call, not once a frame.
package enum CaptureDevice: ~Copyable, Sendable {
  /// A PCM of ALSA's.
  case pcm(PCM.Capture)
  /// A built-in device, which paces itself by the kernel's clock.
  case wave(WaveCapture<KernelStreamClock>)
  /// A device that was closed, with the setup that it had.
  case closed(StreamSetup)

  /// Opens a built-in device or a PCM of ALSA's; throws with the reason and the alternatives.
  package init(_ name: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
    switch try DeviceName(name, for: .capture) {
    case .alsa(let name): self = .pcm(try PCM.Capture(opening: name, request))
    case .wave(let wave):
      self = .wave(try WaveCapture(wave, named: name, request, clock: KernelStreamClock()))
    case .null: throw .unknownBuiltIn(name: name, direction: .capture)
    }
  }

  /// The setup that was negotiated, which stays after `close`.
  package var setup: StreamSetup {
    switch self {
    case .pcm(let source): source.setup
    case .wave(let source): source.setup
    case .closed(let setup): setup
    }
  }

  /// Gives the device up without closing it, for a frozen sound server that would never let it
  /// close.
  package consuming func abandon() {
    switch consume self {
    case .pcm(let source): source.abandon()
    case .wave: return
    case .closed: return
    }
  }

  private mutating func with<Value>(
    _ pcm: (inout PCM.Capture) throws(ALSAError) -> Value,
    _ wave: (inout WaveCapture<KernelStreamClock>) -> Value
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
  /// The format of the frames that `read` delivers.
  package var format: StreamFormat { setup.format }
  /// The frames that the device's buffer holds.
  package var capacity: FrameCount { setup.buffer }
  /// The frames between two wakes.
  package var period: FrameCount { setup.period }

  /// True where overwritten frames are counted exactly: on kernel hardware and built-in devices.
  package var countsLostFrames: Bool {
    switch self {
    case .pcm(let source): source.countsLostFrames
    case .wave(let source): source.countsLostFrames
    case .closed(let setup): setup.isKernelHardware
    }
  }

  /// Starts the capture; throws "no such device" after `close`, as `wait`, `read`, `timing` and
  /// `recover` do.
  package mutating func start() throws(ALSAError) {
    try with({ source throws(ALSAError) in try source.start() }, { $0.start() })
  }

  /// Waits until a period is there, `wake` becomes readable or `limit` has passed.
  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try with(
      { source throws(ALSAError) in try source.wait(upTo: limit, wake: wake) },
      { $0.wait(upTo: limit, wake: wake) })
  }

  /// Reads the whole frames that are there, as far as `buffer` holds them, and counts those that
  /// were lost before.
  package mutating func read(into buffer: inout MutableRawSpan) throws(ALSAError) -> FramesRead {
    try with(
      { source throws(ALSAError) in try source.read(into: &buffer) },
      { $0.read(into: &buffer) })
  }

  /// The position of the stream, with the instant at which it was taken.
  package mutating func timing() throws(ALSAError) -> StreamTiming {
    try with({ source throws(ALSAError) in try source.timing() }, { $0.timing() })
  }

  /// Makes a stopped stream run again; false where that needs another attempt.
  package mutating func recover() throws(ALSAError) -> Bool {
    try with({ source throws(ALSAError) in try source.recover() }, { $0.recover() })
  }

  /// Stops the capture and drops the frames that were not read; the device stays open.
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

  /// Closes the device for good; `setup` and the properties taken from it stay.
  package mutating func close() { self = .closed(setup) }
}
