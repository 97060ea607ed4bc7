internal import Linux
internal import Synchronization

/// What the thread that renders shares with others beside the table of voices: wishes, events and its last word.
final class OutputLink: Sendable {
  /// What the output is to do about its end.
  enum Wish: UInt8, AtomicRepresentable {
    case goOn
    /// End as soon as all is silent.
    case finish
    /// End now.
    case stop
  }

  let wish = Atomic<Wish>(.goOn)
  /// Ends the thread's wait.
  let wake: Event
  /// Tells others that a voice does something else, or that the output has ended.
  let changed: Event
  /// How often the device ran dry while something was to be heard.
  let underruns = Atomic<Int>(0)
  /// The frames that have left the device.
  let played = Atomic<Int64>(0)
  private let ending = Mutex<PlaybackEnd?>(nil)

  init() throws(SystemError) {
    wake = try Event()
    changed = try Event()
  }

  /// How the output ended, or nil while it goes on.
  var end: PlaybackEnd? { ending.withLock { $0 } }

  /// The last word.
  func finish(_ end: PlaybackEnd) {
    ending.withLock { $0 = end }
    changed.signal()
  }

  /// Asks the thread to end; once it is to stop it cannot be asked for less.
  func ask(_ wanted: Wish) {
    // Releases nothing; the thread looks again after each wait.
    if wish.load(ordering: .relaxed) != .stop { wish.store(wanted, ordering: .relaxed) }
    wake.signal()
  }
}
