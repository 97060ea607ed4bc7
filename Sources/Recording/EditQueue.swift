internal import Audio
internal import Synchronization

/// An order that takes effect at one frame of a take.
struct Edit: Sendable {
  enum Action: Sendable {
    case pause, resume
    /// The take resumes after a pause with a closed device. The order to close the device was given
    /// this number of frames ago.
    case reopen(after: FrameCount)
    /// An event that changes nothing else, such as a mark.
    case event(TakeEvent)
    /// The take starts. Earlier frames are not kept.
    case begin
    /// The frames from here on go to another file.
    case split
    /// These tracks are silent from here on, because they lost their permission.
    case silence(TrackSet, Gap.Cause)
    /// The take ends with this number of frames. Nil removes the limit.
    case limit(FrameCount?)
    /// The take ends. Frames from here on are not kept.
    case end

    /// Sets a mark.
    static func mark(_ text: String) -> Action { .event(.mark(text)) }
  }

  /// The total number of frames that are put into the ring before the edit.
  var position: Int
  var action: Action
  /// Whether another thread ordered the edit.
  var isOrder = true
}

extension [Edit] {
  /// Inserts an edit after all edits at the same or an earlier position.
  mutating func schedule(_ edit: Edit) {
    insert(edit, at: firstIndex { $0.position > edit.position } ?? endIndex)
  }
}

/// Orders from other threads, each at an exact frame that the writer has not passed.
///
/// The writer claims frames before it processes them, and an order never gets the position of a
/// claimed frame. So an order is never too late for its frame.
final class EditQueue: Sendable {
  /// The beginning or the end of a pause.
  typealias Pause = (position: Int, isPaused: Bool)

  private struct State {
    var edits: [Edit] = []
    var claimed = 0
    /// The pauses and resumes that the writer has not reported yet, oldest first.
    var pauses: [Pause] = []
    /// The time on the monotonic clock at which the pause ends, or nil if no such time was ordered.
    var resumption: Duration?
    var ordered = 0

    mutating func note(_ pause: Pause) {
      pauses.append(pause)
      resumption = nil
    }
  }

  private let state = Mutex(State())

  /// The number of orders so far.
  var ordered: Int { state.withLock { $0.ordered } }

  /// Orders `action` at `position`, or at the first frame that the writer has not claimed, if that
  /// frame is later. Returns the actual position. Orders take effect in the sequence of the calls.
  /// Exceptions: `begin`, `end` and `silence` overtake the orders for later frames, and `begin`
  /// also overtakes the orders for the same frame.
  @discardableResult
  func add(_ action: Edit.Action, at position: Int) -> Int {
    state.withLock { state in
      let overtaken: Int? =
        switch action {
        case .begin: state.edits.firstIndex { $0.position >= position }
        case .end, .silence: state.edits.firstIndex { $0.position > position }
        default: nil
        }
      let index = overtaken ?? state.edits.endIndex
      let former = index > 0 ? state.edits[index - 1].position : 0
      let edit = Edit(position: max(position, state.claimed, former), action: action)
      state.edits.insert(edit, at: index)
      switch action {
      case .pause: state.note((edit.position, true))
      case .resume, .reopen: state.note((edit.position, false))
      case .event, .begin, .split, .silence, .limit, .end: break
      }
      state.ordered += 1
      return edit.position
    }
  }

  /// Orders the end of the present pause for a time on the monotonic clock. A pause or a resume
  /// that is ordered before that time cancels this order.
  func resume(at instant: Duration) { state.withLock { $0.resumption = instant } }

  /// Places the resume that was ordered for a time, once the frame of that time is captured.
  ///
  /// - Parameters:
  ///   - captured: the number of frames that the writer has received.
  ///   - frame: returns the total number of frames put into the ring before a time, or nil if it is
  ///     unknown.
  func placeResume(upTo captured: Int, by frame: (Duration) -> Int?) {
    state.withLock { state in
      guard let wanted = state.resumption.flatMap(frame), wanted <= captured else { return }
      // The measured time of a frame varies, so make sure that the resume is not before the pause.
      let former = state.pauses.last?.position ?? 0
      let position = max(wanted, state.claimed, former)
      state.edits.schedule(Edit(position: position, action: .resume, isOrder: false))
      state.note((position, false))
    }
  }

  /// Returns the pauses and resumes in the range `frames`, oldest first. They stay in the queue
  /// until the writer has reported their frames. So the result may include a pause that the writer
  /// has already carried out. Counting such a pause again changes nothing.
  func pauses(in frames: ClosedRange<Int>) -> [Pause] {
    state.withLock { $0.pauses.filter { frames.contains($0.position) } }
  }

  /// Claims the frames before `position` and takes the edits up to and including `position`.
  ///
  /// - Parameter reported: the number of frames that the writer has reported.
  func claim(upTo position: Int, reported: Int) -> [Edit] {
    state.withLock { state in
      state.claimed = max(state.claimed, position)
      state.pauses.removeAll { $0.position < reported }
      let claimed = state.claimed
      let due = state.edits.prefix { $0.position <= claimed }
      state.edits.removeFirst(due.count)
      return Array(due)
    }
  }
}
