package import Audio
package import Linux
internal import Synchronization

/// The frames of a long sound that are in memory: its beginning, and those around the playback position.
///
/// One thread fills it while one voice reads from it. The beginning stays, so that a rewind, a replay and a loop
/// continue at once. The voice marks each read of the rest, and the thread that fills takes frames away only outside
/// of such reads; neither the voice nor its device ever waits.
@safe
package final class SoundWindow: Sendable {
  /// The next task of the thread that fills.
  package enum Need: Hashable, Sendable {
    /// Nothing, until the voice has advanced.
    case nothing
    /// At most that many of the frames that follow those in the window.
    case more(Int)
    /// Other frames, from this one on.
    case jump(to: FrameCount)
  }

  /// The format of the frames.
  package let format: StreamFormat
  let state: SoundWindowState
  private let event: Event
  private let cause = Mutex<(any Error)?>(nil)

  /// A window on a sound of about `length` frames.
  ///
  /// - Parameters:
  ///   - beginning: its first frames, whole.
  ///   - capacity: the frames that it holds beside the beginning.
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

  /// The bytes of memory that it takes.
  package var bytes: Int { (state.beginning + state.capacity) * format.bytesPerFrame }

  /// The number of frames of the sound, an estimate until the last is decoded.
  package var length: FrameCount { FrameCount(state.length) }

  /// The reason why the sound ends early; nil where it does not.
  package var fault: (any Error)? { cause.withLock { $0 } }

  /// The frames of silence that were played because the sound's own were not there in time.
  package var late: FrameCount { FrameCount(state.late) }

  /// True once no voice will play it.
  package var isAbandoned: Bool { state.isAbandoned }

  func abandon() {
    state.isAbandoned = true
    event.signal()
  }

  /// Ends the wait of the thread that fills, after a command to the voice.
  package func poke() { event.signal() }

  /// Waits for `poke`; false where it did not come in time.
  package func wait(upTo limit: Duration) -> Bool {
    _ = try? event.descriptor.wait(upTo: limit)
    return event.clear()
  }
}

extension SoundWindow {
  /// The frame that the voice wanted last.
  package var wanted: FrameCount { FrameCount(state.wanted) }

  /// The frame after the last one in the window.
  package var end: FrameCount { FrameCount(state.end) }

  /// The next task; an eighth of the window stays behind the voice, which may still fade out there.
  package var need: Need {
    let place = max(state.wanted, state.beginning)
    let (first, end) = (state.first, state.end)
    guard place >= first && place <= end else { return .jump(to: FrameCount(place)) }
    if state.isComplete && end >= state.length { return .nothing }
    let kept = min(end - max(first, place - state.capacity / 8), state.capacity)
    let room = state.capacity - kept
    return room >= state.capacity / 8 ? .more(room) : .nothing
  }

  /// Adds whole frames behind those in the window; the oldest make room.
  package func fill(_ frames: RawSpan) { state.fill(frames) }

  /// Drops all frames but the beginning, to be filled from `frame` on.
  package func move(to frame: FrameCount) { state.move(to: Int(frame.value)) }

  /// Declares the window's end the end of the sound, which `fault` may have cut short.
  package func complete(because fault: (any Error)? = nil) {
    cause.withLock { $0 = fault }
    state.complete()
  }
}
