internal import Audio
internal import Synchronization

/// An order that takes effect at one frame of a take.
struct Edit: Sendable {
  enum Action: Sendable {
    case pause, resume
    /// The take resumes after a pause in which the device was closed, as long as so many frames.
    case reopen(after: FrameCount)
    case mark(String)
    /// The take starts; earlier frames were not kept.
    case begin
    /// Frames from here on are in another file.
    case split
    /// The take ends; nothing from here on is kept.
    case end
  }

  /// Frames of the ring before it.
  var position: Int
  var action: Action
  /// Whether another thread ordered it.
  var isOrder = true
}

extension [Edit] {
  /// Inserts an edit behind all that come no later.
  mutating func schedule(_ edit: Edit) {
    insert(edit, at: firstIndex { $0.position > edit.position } ?? endIndex)
  }
}

/// Orders from other threads, each at an exact frame that the writer has not passed.
///
/// The writer claims frames before it touches them, under the same lock under which an order gets
/// its position: so an order is never too late for the frame it was given.
final class EditQueue: Sendable {
  /// The beginning of a pause, or its end.
  typealias Pause = (position: Int, isPaused: Bool)

  private struct State {
    var edits: [Edit] = []
    var claimed = 0
    /// The pauses and resumes that the writer has not reported yet, in order.
    var pauses: [Pause] = []
    var ordered = 0
  }

  private let state = Mutex(State())

  /// The number of orders so far.
  var ordered: Int { state.withLock { $0.ordered } }

  /// Orders `action` at `position`, or at the first frame still to be written; returns the position
  /// it got. Orders keep their order, but a take may begin or end before an order that came earlier.
  @discardableResult
  func add(_ action: Edit.Action, at position: Int) -> Int {
    state.withLock { state in
      let overtaken: Int? =
        switch action {
        case .begin: state.edits.firstIndex { $0.position >= position }
        case .end: state.edits.firstIndex { $0.position > position }
        default: nil
        }
      let index = overtaken ?? state.edits.endIndex
      let former = index > 0 ? state.edits[index - 1].position : 0
      let edit = Edit(position: max(position, state.claimed, former), action: action)
      state.edits.insert(edit, at: index)
      switch action {
      case .pause: state.pauses.append((edit.position, true))
      case .resume, .reopen: state.pauses.append((edit.position, false))
      case .mark, .begin, .split, .end: break
      }
      state.ordered += 1
      return edit.position
    }
  }

  /// The pauses and resumes among those frames, in order. They stay until the writer has reported
  /// their frames, so one may be carried out already, which a second time changes nothing.
  func pauses(in frames: ClosedRange<Int>) -> [Pause] {
    state.withLock { $0.pauses.filter { frames.contains($0.position) } }
  }

  /// Claims the frames before `position` and takes the edits among them, and at their end.
  ///
  /// - Parameter reported: the frames that the writer has reported.
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
