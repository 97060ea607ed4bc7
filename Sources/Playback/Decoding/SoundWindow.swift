package import Audio
package import Linux
internal import Synchronization

/// The frames of a long sound that are in memory: its beginning, and those around the place where it is played.
///
/// One thread fills it while one voice reads from it. The beginning stays, so that a rewind, a replay
/// and a loop go on at once. Around the rest the voice says that it is looking, and the thread that
/// fills takes frames away only while it is not; neither the voice nor its device ever waits.
@safe
package final class SoundWindow: Sendable {
  /// What the thread that fills should do next.
  package enum Need: Hashable, Sendable {
    /// Nothing, until the voice has gone on.
    case nothing
    /// So many of the frames that follow those that are there.
    case more(Int)
    /// Other frames, from this one on.
    case jump(to: FrameCount)
  }

  /// What the frames carry.
  package let format: StreamFormat
  let state: SoundWindowState
  private let event: Event
  private let cause = Mutex<(any Error)?>(nil)

  /// A window on a sound that has probably `length` frames.
  ///
  /// - Parameters:
  ///   - beginning: its first frames, whole.
  ///   - capacity: how many more it holds.
  package init(
    beginning: RawSpan, capacity: FrameCount, length: FrameCount, format: StreamFormat
  ) throws(SystemError) {
    event = try Event()
    self.format = format
    state = SoundWindowState(
      beginning, capacity: Int(capacity.value), length: Int(length.value),
      bytesPerFrame: format.bytesPerFrame)
  }

  deinit { state.deallocate() }

  /// The memory that it takes.
  package var bytes: Int { (state.beginning + state.capacity) * format.bytesPerFrame }

  /// How many frames the sound has, as far as is known.
  package var length: FrameCount { FrameCount(state.length) }

  /// The reason why the sound ends before its end, where it does.
  package var fault: (any Error)? { cause.withLock { $0 } }

  /// How many frames of silence were played because the right ones were not there in time.
  package var late: FrameCount { FrameCount(state.late) }

  /// Whether nobody will play it any more.
  package var isAbandoned: Bool { state.isAbandoned }

  func abandon() {
    state.isAbandoned = true
    event.signal()
  }

  /// Ends the wait of the thread that fills: the voice was told something.
  package func poke() { event.signal() }

  /// Waits until somebody pokes it; false where that did not happen in time.
  package func wait(upTo limit: Duration) -> Bool {
    _ = try? event.descriptor.wait(upTo: limit)
    return event.clear()
  }
}

extension SoundWindow {
  /// The frame that the voice wanted last.
  package var wanted: FrameCount { FrameCount(state.wanted) }

  /// The frame after the last one that is there.
  package var end: FrameCount { FrameCount(state.end) }

  /// What to do next; an eighth of the window stays behind the voice, which may still fade out there.
  package var need: Need {
    let place = max(state.wanted, state.beginning)
    let (first, end) = (state.first, state.end)
    guard place >= first && place <= end else { return .jump(to: FrameCount(place)) }
    if state.isComplete && end >= state.length { return .nothing }
    let kept = min(end - max(first, place - state.capacity / 8), state.capacity)
    let room = state.capacity - kept
    return room >= state.capacity / 8 ? .more(room) : .nothing
  }

  /// Adds whole frames after those that are there; the oldest make room.
  package func fill(_ frames: RawSpan) { state.fill(frames) }

  /// Forgets what is there, but for the beginning, to be filled from `frame` on.
  package func move(to frame: FrameCount) { state.move(to: Int(frame.value)) }

  /// The sound ends where the window does.
  package func complete(because fault: (any Error)? = nil) {
    cause.withLock { $0 = fault }
    state.complete()
  }
}
