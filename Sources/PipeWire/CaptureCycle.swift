internal import Audio
internal import CPipeWire
internal import Linux
internal import RealTime
internal import Synchronization

/// The work of a capture in each cycle of the graph: copies the samples of all ports as interleaved
/// frames, aligns the sources, and counts the lost frames. It neither allocates nor locks.
///
/// SAFETY: only PipeWire's real-time thread uses the variables, including the rings. Everything
/// else is constant or atomic. The ports exist until the filter is destroyed.
@safe final class CaptureCycle: @unchecked Sendable {
  /// A loss of frames or a change of the silent sources, with the number of frames before it.
  struct Change: BitwiseCopyable {
    var position: Int
    /// The number of lost frames.
    var length: Int
    /// The sources that are silent from this position on.
    var silent: SilentTracks
  }

  /// The number of delivered frames, and the time of the sound after the last one.
  struct Stamp: BitwiseCopyable, Sendable {
    var delivered = 0
    var nanoseconds: UInt64 = 0
  }

  /// The writers of the rings that lead to the reader.
  struct Rings: ~Copyable {
    var frames: SampleRing.Writer
    var changes: SampleRing.Writer
    var stamp: LatestValue<Stamp>.Writer
  }

  /// Signalled if a period is ready to be read, in the first cycle after `rate` was set to 0, and
  /// at the end of the capture.
  let ready: Event
  /// Whether frames are delivered. Otherwise they are dropped.
  let isStarted = Atomic(false)
  /// The rate of the last cycle. To wait for a cycle, the filter sets this value to 0, and the next
  /// cycle sets it again.
  let rate = Atomic<UInt32>(0)
  /// The rate of the delivered frames.
  let expectedRate = Atomic<UInt32>(0)
  /// The number of frames in the last cycle.
  let length = Atomic(0)
  /// The number of unread frames that wakes the reader.
  let period = Atomic(0)

  private let linker: Linker
  /// The channels of each source.
  private let groups: [Range<Int>]
  private let channels: Int
  /// The set of all sources.
  private let all: TrackSet
  private let end = Atomic<UInt8>(0)
  private let ports: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let samples: CycleDelay.Samples
  /// The factor for the samples of each channel.
  private let gains: UnsafeMutablePointer<Float>
  private let delay: CycleDelay
  private var rings: Rings
  private var delivered = 0
  private var pending = 0
  /// The silent sources that were last reported.
  private var silent = SilentTracks()
  private var cycles = CycleSequence()
  /// The sources whose device was missing in the previous cycle.
  private var missing = TrackSet()

  init(_ sources: [Source], _ linker: Linker, _ rings: consuming Rings) throws(ConnectionFailure) {
    ready = try ConnectionFailure.event()
    self.linker = linker
    let counts = sources.map(\.channels.count)
    groups = counts.consecutiveRanges
    channels = counts.reduce(0, +)
    all = TrackSet(Array(counts.indices))
    delay = CycleDelay(counts)
    unsafe ports = .allocate(capacity: channels)
    unsafe ports.initialize(repeating: nil, count: channels)
    unsafe samples = .allocate(capacity: channels)
    unsafe samples.initialize(repeating: nil, count: channels)
    unsafe gains = .allocate(capacity: channels)
    unsafe gains.initialize(repeating: 1, count: channels)
    self.rings = rings
  }

  deinit {
    unsafe ports.deallocate()
    unsafe samples.deallocate()
    unsafe gains.deallocate()
  }

  /// Sets the port of a channel, before the first cycle.
  func setPort(_ port: UnsafeMutableRawPointer?, of channel: Int) { unsafe ports[channel] = port }

  /// Handles one cycle.
  func process(_ clock: UnsafePointer<pipewire_clock>) {
    let count = unsafe Int(clock.pointee.duration)
    // Acquiring: pairs with the releasing store in `Capture.start` and `stop`. This load comes
    // before the load of the missing sources. So a source that was refused before the start is
    // silent from the first frame.
    let isStarted = isStarted.load(ordering: .acquiring)
    let missing = TrackSet(rawValue: linker.missing.load(ordering: .relaxed))
    for source in groups.indices {
      let gain = linker.gain(of: source)
      for channel in groups[source] {
        unsafe gains[channel] = gain
        // The buffers are also requested before the start, so that the first delivered frames are
        // not old.
        let buffer = unsafe pipeWire.filter_get_dsp_buffer(ports[channel], UInt32(count))
        // A refused microphone may deliver sound until the server has removed its links.
        unsafe samples[channel] =
          missing.contains(source)
          ? nil : UnsafePointer(buffer?.assumingMemoryBound(to: Float.self))
      }
    }
    let clock = unsafe CycleClock(
      driver: clock.pointee.id, position: clock.pointee.position,
      nanoseconds: clock.pointee.nanoseconds, rate: clock.pointee.rate)
    announce(clock.rate, count)
    guard isStarted else {
      pending = 0
      cycles.reset()
      delay.reset()
      return
    }
    if expectedRate.load(ordering: .relaxed) != clock.rate { return end(.rateChanged) }
    deliver(clock, count, missing)
    if rings.frames.fill >= period.load(ordering: .relaxed) { ready.signal() }
  }

  /// Delivers the frames of the previous cycle, and stores those of this cycle.
  private func deliver(_ clock: CycleClock, _ count: Int, _ missing: TrackSet) {
    let step = cycles.add(clock, length: count, isRecorder: linker.isRecorder(clock.driver))
    let late = step.isOutdated ? TrackSet() : linker.sources(playedBy: clock.driver)
    let former = unsafe delay.before(samples, late: late, isNext: step.isNext)
    // For a late source (`CycleDelay`), the samples come from its port in this cycle, so a device
    // that is missing now is silent. For another source, they were copied in the previous cycle,
    // so a device that was missing then is silent. A source that has lost its samples was late. If
    // its device is missing now, the source counts as missing, not as interrupted.
    let gone = missing.intersection(late.union(delay.lost))
    let absent = delay.frames > 0 ? self.missing.union(gone) : TrackSet()
    let silent = SilentTracks(missing: absent, interrupted: delay.lost.subtracting(absent))
    if silent.interrupted == all {
      pending += delay.frames
    } else {
      unsafe deliver(former, delay.frames, silent)
    }
    // `step.time` is the time after the last delivered frame only if no frame was lost since then.
    if pending == 0 {
      rings.stamp.publish(Stamp(delivered: delivered, nanoseconds: step.time))
    }
    unsafe delay.keep(samples, count)
    pending += step.lost + count - delay.frames
    self.missing = missing
  }

  private func announce(_ rate: UInt32, _ count: Int) {
    length.store(count, ordering: .relaxed)
    // Releasing: pairs with the acquiring load in `Filter.nextCycle`.
    if self.rate.exchange(rate, ordering: .releasing) == 0 { ready.signal() }
  }

  /// Ends the capture.
  func end(_ failure: ConnectionFailure) {
    end.store(failure == .rateChanged ? 1 : 2, ordering: .relaxed)
    ready.signal()
  }

  /// The reason why the capture ended, or nil while it runs.
  var failure: ConnectionFailure? {
    switch end.load(ordering: .relaxed) {
    case 0: nil
    case 1: .rateChanged
    default: .ended
    }
  }

  /// Puts the frames of a cycle into the ring, or counts them as lost if the reader is late.
  @unsafe private func deliver(
    _ samples: CycleDelay.Samples, _ count: Int, _ silent: SilentTracks
  ) {
    guard count > 0 else { return }
    guard rings.frames.free >= count, report(silent) else {
      pending += count
      return
    }
    var done = 0
    while done < count {
      done += unsafe interleave(samples, from: done, upTo: count - done)
    }
    delivered += count
  }

  /// Reports the loss before the next frames, and the sources that are silent in these frames.
  /// Returns false if too many changes wait to be read.
  private func report(_ silent: SilentTracks) -> Bool {
    if pending == 0, silent == self.silent { return true }
    var room = rings.changes.room(upTo: 1)
    guard room.byteCount == MemoryLayout<Change>.size else { return false }
    room.storeBytes(
      of: Change(position: delivered, length: pending, silent: silent), as: Change.self)
    rings.changes.commit(1)
    (pending, self.silent) = (0, silent)
    return true
  }

  /// Copies frames to the contiguous free memory of the ring, and returns their number.
  @unsafe private func interleave(
    _ samples: CycleDelay.Samples, from first: Int, upTo limit: Int
  ) -> Int {
    let count: Int
    do {
      var room = rings.frames.room(upTo: limit)
      count = room.byteCount / (channels * MemoryLayout<Float>.size)
      unsafe Self.interleave(samples, gains, channels, from: first, count, into: &room)
    }
    rings.frames.commit(count)
    return count
  }

  @unsafe private static func interleave(
    _ samples: CycleDelay.Samples, _ gains: UnsafeMutablePointer<Float>, _ channels: Int,
    from first: Int, _ count: Int, into room: inout MutableRawSpan
  ) {
    unsafe room.withUnsafeMutableBytes { bytes in
      guard let target = unsafe bytes.baseAddress?.assumingMemoryBound(to: Float.self) else {
        return
      }
      for channel in 0..<channels {
        let (sample, gain) = unsafe (target + channel, gains[channel])
        if let source = unsafe samples[channel] {
          for index in 0..<count {
            unsafe sample[index &* channels] = source[first &+ index] * gain
          }
        } else {
          for index in 0..<count { unsafe sample[index &* channels] = 0 }
        }
      }
    }
  }
}
