import Linux
import Synchronization

/// A clock that advances only when a test advances it or sleeps on it.
final class StepClock: StreamClock {
  private let time = Mutex(Duration.seconds(1_000))
  private let isWoken = Mutex(false)

  var monotonic: Duration { time.withLock { $0 } }
  var bootTime: Duration { monotonic }
  var wallTime: WallTime { WallTime(sinceEpoch: monotonic) }

  func step(_ duration: Duration) { time.withLock { $0 += duration } }

  /// Ends the next sleep immediately.
  func wake() { isWoken.withLock { $0 = true } }

  func wait(upTo limit: Duration, wake: Int32) -> Bool {
    let woken = isWoken.withLock { woken in
      defer { woken = false }
      return woken
    }
    if !woken { step(limit) }
    return woken
  }
}
