internal import Audio
internal import Linux
internal import Synchronization

/// The state that the capture thread shares with the others beside the ring: counts, flags and the
/// events that wake.
///
/// The capture thread touches only the atomics and the events until it ends.
final class CaptureState: Sendable {
  /// The last report of a capture thread.
  struct Report {
    var end: CaptureEnd
    /// The loss after the last frame in the ring.
    var gap: GapRecord?
  }

  /// Frames in the ring since the beginning, the position that an edit is given.
  let captured = Atomic<Int>(0)
  /// Frames lost since the beginning, those not yet reported to the writer included.
  let lost = Atomic<Int>(0)
  let isStopping = Atomic<Bool>(false)
  let timeline: Timeline
  /// Ends the capture thread's wait.
  let wake: Event
  /// Wakes the writer: there is something to do.
  let arrival: Event
  private let ending = Mutex<Report?>(nil)

  init(_ timeline: Timeline) throws(SystemError) {
    self.timeline = timeline
    wake = try Event()
    arrival = try Event()
  }

  /// The end of the capture, or nil while it runs.
  var report: Report? { ending.withLock { $0 } }

  /// Sets the capture thread's last report, or one in its place; only the first counts.
  func finish(_ end: CaptureEnd, _ gap: GapRecord? = nil) {
    ending.withLock { ending in
      if ending == nil { ending = Report(end: end, gap: gap) }
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
