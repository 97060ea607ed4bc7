package import Audio
internal import CALSA
internal import Linux

extension PCM {
  /// A PCM that plays.
  package struct Playback: ~Copyable, Sendable {
    private let pcm: PCM
    private var fill: BufferFill
    /// The time of the last wake for room.
    private var lastRoom = Duration.zero

    /// Opens and configures it; it is prepared and silent before `start`.
    package init(opening device: String, _ request: DeviceRequest = .init()) throws(DeviceError) {
      pcm = try PCM(opening: device, .playback, request)
      fill = BufferFill(of: pcm.setup)
    }

    /// The setup that was negotiated.
    package var setup: StreamSetup { pcm.setup }

    /// Gives the device up without closing it, for a frozen sound server that would never let it
    /// close.
    package consuming func abandon() { pcm.abandon() }
  }
}

extension PCM.Playback: FrameSink {
  /// The format of the frames that `write` takes.
  package var format: StreamFormat { setup.format }
  /// The frames that the device's buffer holds.
  package var capacity: FrameCount { setup.buffer }

  /// Starts the playback. The corresponding C function is `snd_pcm_start`.
  package mutating func start() throws(ALSAError) {
    if fill.mayBeBrief { fill.begin(room: try pcm.available()) }
    try pcm.start()
  }
  /// Stops the playback and drops the frames that were not played.
  package mutating func stop() {
    pcm.stop()
    fill.end()
  }
  /// The position of the stream, with the instant at which it was taken.
  package mutating func timing() throws(ALSAError) -> StreamTiming { try pcm.timing() }

  /// Waits until a period has room, `wake` becomes readable or `limit` has passed.
  package mutating func wait(
    upTo limit: Duration, wake: Int32
  ) throws(ALSAError) -> Readiness {
    let look = fill.nextLook
    let readiness = try pcm.wait(upTo: min(limit, look ?? limit), wake: wake)
    if readiness == .ready { lastRoom = KernelClock.monotonic.now }
    if look != nil { fill.note(room: try pcm.available()) }
    return readiness
  }

  /// Takes back the last frames that were written; false where PipeWire may be about to take them.
  /// The corresponding C function is `snd_pcm_rewind`.
  package mutating func takeBack(_ frames: FrameCount) -> Bool {
    guard setup.isPipeWire, frames > 0, isUnbegun(frames) else { return false }
    let wanted = snd_pcm_uframes_t(frames.value)
    guard unsafe snd_pcm_rewindable(pcm.handle.pointer) >= frames.value else { return false }
    return unsafe snd_pcm_rewind(pcm.handle.pointer, wanted) == frames.value
  }

  /// True where PipeWire takes none of the last frames for a while: long cycles are known by their
  /// time, which is that of what was written since, and before short ones enough other frames come.
  private func isUnbegun(_ frames: FrameCount) -> Bool {
    if fill.isBrief {
      let passed = KernelClock.monotonic.now - lastRoom
      return passed < min(setup.period, frames).duration(at: format.rate) - Self.margin
    }
    guard let room = try? pcm.available() else { return false }
    return capacity - room - frames >= FrameCount(Self.rest, at: format.rate)
  }

  /// Time enough to mix a period anew before PipeWire takes it.
  private static var margin: Duration { .milliseconds(5) }
  /// The same and a short cycle.
  private static var rest: Duration { .milliseconds(16) }

  /// Writes whole frames and returns the number taken; 0 while full. The corresponding C function
  /// is `snd_pcm_writei`.
  package mutating func write(_ frames: RawSpan) throws(ALSAError) -> Int {
    var count = FrameCount(frames.byteCount / format.bytesPerFrame)
    if fill.isBrief { count = min(count, fill.wanted(of: try pcm.available())) }
    guard count > 0 else { return 0 }
    let result = unsafe frames.withUnsafeBytes { bytes in
      unsafe snd_pcm_writei(
        pcm.handle.pointer, bytes.baseAddress, snd_pcm_uframes_t(count.value))
    }
    return try pcm.moved("snd_pcm_writei", result)
  }

  /// Prepares a stopped stream, for another `write` and `start`; false where that needs another
  /// attempt.
  package mutating func recover() throws(ALSAError) -> Bool {
    if pcm.hasRunDry, fill.keepWhole() { try pcm.wake(at: setup.period) }
    return try pcm.recover()
  }
}
