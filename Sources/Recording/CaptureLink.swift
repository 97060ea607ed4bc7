internal import Audio
internal import Linux
internal import Synchronization

/// What the capture thread shares with the others beside the ring: counts, flags and the events that wake.
///
/// The capture thread touches only the atomics and the events until it ends.
final class CaptureLink: Sendable {
  /// The last word of a capture thread.
  struct LastWord {
    var end: CaptureEnd
    /// What was lost after the last frame in the ring.
    var gap: GapRecord?
  }

  /// Frames in the ring since the beginning, the position that an edit is given.
  let captured = Atomic<Int>(0)
  /// Frames lost since the beginning, those not yet told to the writer too.
  let lost = Atomic<Int>(0)
  let isStopping = Atomic<Bool>(false)
  let timeline: Timeline
  /// Ends the capture thread's wait.
  let wake: Event
  /// Tells the writer that there is something to do.
  let arrival: Event
  private let ending = Mutex<LastWord?>(nil)

  init(_ timeline: Timeline) throws(SystemError) {
    self.timeline = timeline
    wake = try Event()
    arrival = try Event()
  }

  /// How the capture ended, or nil while it goes on.
  var lastWord: LastWord? { ending.withLock { $0 } }

  /// The capture thread's last word, or a word in its place; only the first counts.
  func finish(_ end: CaptureEnd, _ gap: GapRecord? = nil) {
    ending.withLock { ending in
      if ending == nil { ending = LastWord(end: end, gap: gap) }
    }
    arrival.signal()
  }

  /// Asks the capture thread to read what is there and to end.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    wake.signal()
    arrival.signal()
  }
}
