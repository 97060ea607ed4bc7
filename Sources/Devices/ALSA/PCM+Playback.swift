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

    /// The setup that was negotiated.
    package var setup: StreamSetup { pcm.setup }

    /// Gives the device up without closing it, for a frozen sound server that would never let it close.
    package consuming func abandon() { pcm.abandon() }
  }
}

extension PCM.Playback: FrameSink {
  /// The format of the frames that `write` takes.
  package var format: StreamFormat { setup.format }
  /// The frames that the device's buffer holds.
  package var capacity: FrameCount { setup.buffer }

  /// Starts the playback. The corresponding C function is `snd_pcm_start`.
  package mutating func start() throws(ALSAError) { try pcm.start() }
  /// Stops the playback and drops the frames that were not played.
  package mutating func stop() { pcm.stop() }
  /// The position of the stream, with the instant at which it was taken.
  package mutating func timing() throws(ALSAError) -> StreamTiming { try pcm.timing() }

  /// Waits until a period has room, `wake` becomes readable or `limit` has passed.
  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    try pcm.wait(upTo: limit, wake: wake)
  }

  /// Writes whole frames and returns the number taken; 0 while full. The corresponding C function is
  /// `snd_pcm_writei`.
  package mutating func write(_ frames: RawSpan) throws(ALSAError) -> Int {
    let count = snd_pcm_uframes_t(frames.byteCount / format.bytesPerFrame)
    let result = unsafe frames.withUnsafeBytes { bytes in
      unsafe snd_pcm_writei(pcm.handle.pointer, bytes.baseAddress, count)
    }
    return try pcm.moved("snd_pcm_writei", result)
  }

  /// Prepares a stopped stream, for another `write` and `start`; false where that needs another attempt.
  package mutating func recover() throws(ALSAError) -> Bool { try pcm.recover() }
}
