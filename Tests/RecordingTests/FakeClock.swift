import Linux
import Recording
import Synchronization

/// A clock that advances only when a test or a wait advances it.
final class FakeClock: StreamClock {
  private struct Time {
    var monotonic = Duration.seconds(1_000)
    var slept = Duration.zero
  }

  private let time = Mutex(Time())

  var monotonic: Duration { time.withLock { $0.monotonic } }
  var bootTime: Duration { time.withLock { $0.monotonic + $0.slept } }

  /// The test begins in January 2027.
  var wallTime: WallTime { WallTime(sinceEpoch: .seconds(1_800_000_000 - 1_000) + bootTime) }

  func step(_ duration: Duration) { time.withLock { $0.monotonic += duration } }

  /// Lets the machine sleep.
  func suspend(_ duration: Duration) { time.withLock { $0.slept += duration } }

  func wait(upTo limit: Duration, wake: Int32) -> Bool {
    step(limit)
    return false
  }
}
