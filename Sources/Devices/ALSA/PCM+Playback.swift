package import Audio
internal import CALSA
internal import Linux

extension PCM {
  /// A PCM for playback.
  package struct Playback: ~Copyable, Sendable {
    private let pcm: PCM
    private var fill: BufferFill
    /// The time at which a wait last found free space.
    private var lastRoom = Duration.zero

    /// Opens and configures the device. It is prepared and silent until `start`.
    package init(opening device: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
      pcm = try PCM(opening: device, .playback, request)
      fill = BufferFill(of: pcm.setup)
    }

    /// The negotiated setup.
    package var setup: StreamSetup { pcm.setup }
  }
}

extension PCM.Playback: FrameSink {
  /// The format of the frames for `write`.
  package var format: StreamFormat { setup.format }
  /// The size of the device's buffer in frames.
  package var capacity: FrameCount { setup.buffer }

  /// Starts the playback. The corresponding C function is `snd_pcm_start`.
  package mutating func start() throws(StreamError) {
    if fill.mayBeBrief { fill.begin(room: try pcm.available()) }
    try pcm.start()
  }
  /// Stops the playback and drops the frames that have not played.
  package mutating func stop() {
    pcm.stop()
    fill.end()
  }
  /// Returns the position of the stream and the time at which it was measured.
  package mutating func timing() throws(StreamError) -> StreamTiming { try pcm.timing() }

  /// Waits until there is room for a period, `wake` becomes readable or `limit` has passed. While
  /// `fill` has not yet decided whether to keep the whole buffer full, this call waits at most a
  /// few milliseconds.
  package mutating func wait(upTo limit: Duration, wake: Int32) throws(StreamError) -> Readiness {
    let look = fill.nextLook
    let readiness = try pcm.wait(upTo: min(limit, look ?? limit), wake: wake)
    if readiness == .ready { lastRoom = KernelClock.monotonic.now }
    if look != nil { fill.note(room: try pcm.available()) }
    return readiness
  }

  /// Rewinds the stream over the last written frames. Returns false if PipeWire may be about to
  /// take these frames, or if the device is not PipeWire. The corresponding C function is
  /// `snd_pcm_rewind`.
  package mutating func takeBack(_ frames: FrameCount) -> Bool {
    guard setup.isPipeWire, frames > 0, isUnbegun(frames) else { return false }
    guard unsafe alsa.pcm_rewindable(pcm.handle.pointer) >= frames.value else { return false }
    return Self.rewinds(
      Int(frames.value), by: { unsafe alsa.pcm_rewind(pcm.handle.pointer, $0) },
      undoingBy: { unsafe alsa.pcm_forward(pcm.handle.pointer, $0) })
  }

  /// Rewinds a stream by this number of frames, or not at all. `rewind` and `forward` return the
  /// number of frames by which they moved the stream, or a negative error number.
  static func rewinds(
    _ frames: Int, by rewind: (UInt) -> Int, undoingBy forward: (UInt) -> Int
  ) -> Bool {
    let moved = rewind(UInt(frames))
    if moved == frames { return true }
    if moved > 0 { _ = forward(UInt(moved)) }
    return false
  }

  /// Whether enough time remains to write the last `frames` of the buffer again before PipeWire
  /// takes them. If about one period is kept in the buffer, the time limit begins at
  /// `lastRoom`. The limit is the duration of a period or of these frames, whichever is shorter.
  /// More than `margin` must remain. If the whole buffer is kept full, the frames that play before
  /// these frames must have a duration of at least `rest`.
  private func isUnbegun(_ frames: FrameCount) -> Bool {
    if fill.isBrief {
      let passed = KernelClock.monotonic.now - lastRoom
      return passed < min(setup.period, frames).duration(at: format.rate) - Self.margin
    }
    guard let room = try? pcm.available() else { return false }
    return capacity - room - frames >= FrameCount(Self.rest, at: format.rate)
  }

  /// The time needed to mix a period again before PipeWire takes it.
  private static var margin: Duration { .milliseconds(5) }
  /// The margin plus the length of a short cycle.
  private static var rest: Duration { .milliseconds(16) }

  /// Writes whole frames. Returns the number that the device accepted, or 0 if its buffer needs no
  /// frames now. The corresponding C function is `snd_pcm_writei`.
  package mutating func write(_ frames: RawSpan) throws(StreamError) -> Int {
    var count = FrameCount(frames.byteCount / format.bytesPerFrame)
    if fill.isBrief { count = min(count, fill.wanted(of: try pcm.available())) }
    guard count > 0 else { return 0 }
    let result = unsafe frames.withUnsafeBytes { bytes in
      unsafe alsa.pcm_writei(
        pcm.handle.pointer, bytes.baseAddress, snd_pcm_uframes_t(count.value))
    }
    return try pcm.moved("snd_pcm_writei", result)
  }

  /// Prepares a stopped stream for another `write` and `start`. Returns false if another attempt is
  /// needed.
  package mutating func recover() throws(StreamError) -> Bool {
    if pcm.hasRunDry, fill.keepWhole() { try pcm.wake(at: setup.period) }
    return try pcm.recover()
  }
}
