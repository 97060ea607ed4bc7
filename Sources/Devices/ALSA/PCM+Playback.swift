package import Audio
internal import CALSA

extension PCM {
  /// A PCM that plays.
  package struct Playback: ~Copyable, Sendable {
    private let pcm: PCM

    /// Opens and configures it; it is prepared and silent before `start`.
    package init(opening device: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
      pcm = try PCM(opening: device, .playback, request)
    }

    /// What was negotiated.
    package var setup: StreamSetup { pcm.setup }

    /// Gives the device up without closing it, for when a frozen sound server would never let it close.
    package consuming func abandon() { pcm.abandon() }
  }
}

extension PCM.Playback: FrameSink {
  package var format: StreamFormat { setup.format }
  package var capacity: FrameCount { setup.buffer }

  package mutating func start() throws(ALSAError) { try pcm.start() }
  package mutating func stop() { pcm.stop() }
  package mutating func timing() throws(ALSAError) -> StreamTiming { try pcm.timing() }

  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try pcm.wait(upTo: limit, wake: wake)
  }

  /// The corresponding C function is `snd_pcm_writei`.
  package mutating func write(_ frames: RawSpan) throws(ALSAError) -> Int {
    let count = snd_pcm_uframes_t(frames.byteCount / format.bytesPerFrame)
    let result = unsafe frames.withUnsafeBytes { bytes in
      unsafe snd_pcm_writei(pcm.handle.pointer, bytes.baseAddress, count)
    }
    return try pcm.moved("snd_pcm_writei", result)
  }

  /// Leaves the device prepared: write again, then `start`.
  package mutating func recover() throws(ALSAError) -> Bool { try pcm.recover() }
}
