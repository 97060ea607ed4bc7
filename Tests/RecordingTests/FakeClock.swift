import Linux
import Recording
import Synchronization

/// Time that moves only when a test or a wait moves it.
final class FakeClock: StreamClock {
  private struct Time {
    var monotonic = Duration.seconds(1_000)
    var slept = Duration.zero
  }

  private let time = Mutex(Time())

  var monotonic: Duration { time.withLock { $0.monotonic } }
  var bootTime: Duration { time.withLock { $0.monotonic + $0.slept } }

  /// It was 2026 when the test began.
  var wallTime: WallTime { WallTime(sinceEpoch: .seconds(1_800_000_000 - 1_000) + bootTime) }

  func step(_ duration: Duration) { time.withLock { $0.monotonic += duration } }

  /// The machine sleeps.
  func suspend(_ duration: Duration) { time.withLock { $0.slept += duration } }

  func wait(upTo limit: Duration, wake: Int32) -> Bool {
    step(limit)
    return false
  }
}
