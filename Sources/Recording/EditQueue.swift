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
}

/// Orders from other threads, each at an exact frame that the writer has not passed.
///
/// The writer claims frames before it touches them, under the same lock under which an order gets
/// its position: so an order is never too late for the frame it was given.
final class EditQueue: Sendable {
  private struct State {
    var edits: [Edit] = []
    var claimed = 0
  }

  private let state = Mutex(State())

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
      return edit.position
    }
  }

  /// The pauses and resumes among those frames, in order; they stay in the queue.
  func pauses(in frames: ClosedRange<Int>) -> [(position: Int, isPaused: Bool)] {
    state.withLock { state in
      state.edits.filter { frames.contains($0.position) }.compactMap { edit in
        switch edit.action {
        case .pause: (edit.position, true)
        case .resume, .reopen: (edit.position, false)
        default: nil
        }
      }
    }
  }

  /// Claims the frames before `position` and takes the edits among them, and at their end.
  func claim(upTo position: Int) -> [Edit] {
    state.withLock { state in
      state.claimed = max(state.claimed, position)
      let claimed = state.claimed
      let due = state.edits.prefix { $0.position <= claimed }
      state.edits.removeFirst(due.count)
      return Array(due)
    }
  }
}
