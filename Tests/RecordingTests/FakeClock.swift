import Linux
import Recording
import Synchronization

/// A clock that advances only when a test or a wait advances it.
final class FakeClock: StreamClock {
  private struct Time {
    var monotonic = Duration.seconds(1_000)
    var slept = Duration.zero
    var noticesWakes = false
  }

  private let time = Mutex(Time())

  var monotonic: Duration { time.withLock { $0.monotonic } }
  var bootTime: Duration { time.withLock { $0.monotonic + $0.slept } }

  /// The test begins in January 2027.
  var wallTime: WallTime { WallTime(sinceEpoch: .seconds(1_800_000_000 - 1_000) + bootTime) }

  func step(_ duration: Duration) { time.withLock { $0.monotonic += duration } }

  /// Lets the machine sleep.
  func suspend(_ duration: Duration) { time.withLock { $0.slept += duration } }

  /// Lets a readable wake descriptor end each wait, as the kernel does.
  func noticeWakes() { time.withLock { $0.noticesWakes = true } }

  func wait(upTo limit: Duration, wake: Int32) -> Bool {
    if time.withLock({ $0.noticesWakes }), Poll.isReady(wake) { return true }
    step(limit)
    return false
  }
}
