internal import Linux
internal import Synchronization

/// The state that the thread that renders shares with others beside the table of voices: requests,
/// events and its end.
final class OutputState: Sendable {
  /// The request of other threads about the end.
  enum Request: UInt8, AtomicRepresentable {
    /// Keep playing.
    case run
    /// End as soon as all is silent.
    case finish
    /// End now.
    case stop
  }

  let request = Atomic<Request>(.run)
  /// Ends the thread's wait.
  let wake: Event
  /// Signals to others that the state of a voice changed, or that the output has ended.
  let changed: Event
  /// The number of times that the device ran dry during playback.
  let underruns = Atomic<Int>(0)
  /// The frames that have left the device.
  let played = Atomic<Int64>(0)
  private let ending = Mutex<PlaybackEnd?>(nil)

  init() throws(SystemError) {
    wake = try Event()
    changed = try Event()
  }

  /// The reason of the output's end; nil while it runs.
  var end: PlaybackEnd? { ending.withLock { $0 } }

  /// Sets the end and signals `changed`; the last step of the thread.
  func finish(_ end: PlaybackEnd) {
    ending.withLock { $0 = end }
    changed.signal()
  }

  /// Asks the thread to end; a `stop` cannot be taken back.
  func ask(_ wanted: Request) {
    // Releases nothing; the thread looks again after each wait.
    if request.load(ordering: .relaxed) != .stop { request.store(wanted, ordering: .relaxed) }
    wake.signal()
  }
}
