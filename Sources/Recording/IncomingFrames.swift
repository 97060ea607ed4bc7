internal import Audio
internal import Linux
internal import RealTime
internal import Synchronization

/// The frames that wait for the writer, with the orders and the gaps at their positions.
struct IncomingFrames: ~Copyable {
  /// The next item for the writer.
  enum Item {
    /// An order at the next frame.
    case edit(Edit)
    /// A loss before the next frame.
    case gap(GapRecord)
    /// This number of frames, without an order or a gap between them.
    case frames(Int)
    /// Nothing yet.
    case nothing
    /// The end of the capture, with the loss after the last frame, or nil if nothing was lost
    /// there.
    case end(GapRecord?)
  }

  var ring: SampleRing.Reader
  private var gaps: SampleRing.Reader
  private let edits: EditQueue
  private let state: CaptureState
  private let capture: (any LentCapture)?
  /// The number of frames taken from the ring, now and at the last report.
  private var (position, reported) = (0, 0)
  private var due: [Edit] = []
  private var nextGap: GapRecord?
  private var standstill = Standstill()

  private static var longestWait: Duration { .milliseconds(100) }
  /// The longest wait of the writer in an unattended recording. Usually, the capture thread wakes
  /// the writer earlier, after a read.
  private static var longestRest: Duration { .milliseconds(600) }

  /// - Parameter capture: the capture that the writer can read, or nil if only the capture thread
  ///   reads.
  init(
    _ ring: consuming SampleRing.Reader, gaps: consuming SampleRing.Reader, edits: EditQueue,
    state: CaptureState, capture: (any LentCapture)? = nil
  ) {
    self.ring = ring
    self.gaps = gaps
    self.edits = edits
    self.state = state
    self.capture = capture
  }

  /// Returns the next item. At the same frame, an edit comes before a gap.
  mutating func next(_ gate: inout TakeGate) -> Item {
    // Read the final report first. If there is one, the fill level includes all captured frames.
    let last = state.report
    let waiting = position + ring.fill
    edits.placeResume(upTo: waiting, by: state.position(at:))
    let beginning = measure(upTo: waiting, by: &gate)
    let isDoubted = standstill.isDoubted(by: state)
    let available =
      isDoubted ? position : last == nil ? gate.boundary(waiting, after: position) : waiting
    // The position of an order may be after the last captured frame. If the frame at this position
    // never arrives, the order takes effect at the end.
    due += edits.claim(upTo: last == nil || isDoubted ? available : .max, reported: reported)
    if let beginning { due.schedule(Edit(position: beginning, action: .begin, isOrder: false)) }
    if nextGap == nil { nextGap = gaps.takeRecord() }
    if let edit = due.first, edit.position == position || (last != nil && position == waiting) {
      return .edit(due.removeFirst())
    }
    if let gap = nextGap, gap.position == position {
      nextGap = nil
      return .gap(gap)
    }
    if position < available {
      let boundary = min(nextGap?.position ?? available, due.first?.position ?? available)
      return .frames(min(boundary, available) - position)
    }
    guard let last, !isDoubted else { return .nothing }
    return .end(last.gap)
  }

  /// Measures the waiting frames. Returns the first frame of the take, or nil if no sound has
  /// begun.
  private mutating func measure(upTo waiting: Int, by gate: inout TakeGate) -> Int? {
    guard gate.isArmed else { return nil }
    // The writer has not reached these pauses yet, because it stays behind the measured frames.
    for edit in edits.pauses(in: gate.measured...max(gate.measured, waiting)) {
      let beginning = gate.measure(&ring, from: position, upTo: edit.position)
      if let beginning { return beginning }
      gate.isPaused = edit.isPaused
    }
    return gate.measure(&ring, from: position, upTo: waiting)
  }

  /// Frees the first `count` frames.
  mutating func release(_ count: Int) {
    ring.release(count)
    position += count
  }

  /// Frees all frames. Returns their number.
  mutating func discard(_ bytesPerFrame: Int) -> Int {
    let first = position
    while true {
      let count = ring.frames().byteCount / bytesPerFrame
      if count == 0 { return position - first }
      release(count)
    }
  }

  /// Returns the next gap, even if frames come before it, or nil if there is no gap.
  mutating func takeGap() -> GapRecord? { nextGap.take() ?? gaps.takeRecord() }

  /// Records that the published progress includes all frames taken so far.
  mutating func report() { reported = position }

  /// Waits for frames. If it is the writer's turn to read the device, reads it after the wait.
  func wait() {
    if let instant = capture?.nextRead { return waitAndRead(at: instant) }
    waitForCapture(upTo: state.isUnattended.load(ordering: .relaxed) ? Self.longestRest : nil)
  }

  /// Waits until `instant`, and then reads the device on this thread. Does not read if a signal
  /// ends the wait earlier.
  private func waitAndRead(at instant: Duration) {
    let rest = instant - KernelClock.monotonic.now
    if (try? state.arrival.descriptor.wait(upTo: max(.zero, rest))) == true {
      state.arrival.clear()
    } else {
      capture?.read()
    }
  }

  /// Waits for a signal from the capture thread, or for an order.
  func waitForCapture(upTo limit: Duration? = nil) {
    _ = try? state.arrival.descriptor.wait(upTo: limit ?? Self.longestWait)
    state.arrival.clear()
  }
}
