internal import Audio
internal import Control
internal import Linux
internal import Recording
internal import Synchronization

/// The events of a capture, sent to the listeners in this program.
///
/// The writer thread calls the functions and must not be delayed, so nothing is copied if there is
/// no listener.
final class TakeNews: TakeMonitor {
  let levels = Broadcast<Levels>(keeping: 64)
  let buffers = Broadcast<AudioBuffer>(
    keeping: 512, dropping: { $1.following(missed: $0) })
  let events = Broadcast<Take.Event>(keeping: 4_096)
  private let rate = Atomic<Int>(48_000)
  /// The closure that notifies the recording when listening begins.
  private let wake = Mutex<@Sendable () -> Void>({})
  /// The time at which the current state was last read, in seconds of the monotonic clock.
  private let looked = Atomic<Int64>(.min)

  /// The number of seconds for which frames arrive sooner after the state was read.
  private static let attention: Int64 = 2

  /// Sets the closure that is called when a program begins to listen or to read the state. The
  /// closure makes frames arrive sooner.
  func whenHeard(_ wake: @escaping @Sendable () -> Void) {
    self.wake.withLock { $0 = wake }
    levels.whenAudienceChanges { if $0 { wake() } }
    buffers.whenAudienceChanges { if $0 { wake() } }
  }

  /// Notes that the current state was read. The first read in a while calls `wake`.
  func noteRead() {
    let now = KernelClock.monotonic.now.components.seconds
    let before = looked.exchange(now, ordering: .relaxed)
    if before < now - Self.attention { wake.withLock { $0 }() }
  }

  var isListening: Bool {
    let now = KernelClock.monotonic.now.components.seconds
    return levels.hasAudience || buffers.hasAudience
      || looked.load(ordering: .relaxed) >= now - Self.attention
  }

  func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int) {
    rate.store(stream.rate.hertz, ordering: .relaxed)
    guard buffers.hasAudience else { return }
    buffers.send(AudioBuffer(bytes: frames, format: AudioFormat(stream), position: Int64(position)))
  }

  func measured(_ level: Audio.Level, _ channels: [Audio.Level]) {
    guard levels.hasAudience else { return }
    levels.send(Levels(all: Level(level), channels: channels.map(Level.init)))
  }

  func note(_ event: PositionedEvent) {
    switch event.event {
    case .mark(let text):
      let rate = SampleRate(rate.load(ordering: .relaxed)) ?? .hz48000
      events.send(.marked(text, at: event.frame.duration(at: rate)))
    case .paused: events.send(.paused)
    case .resumed: events.send(.resumed)
    case .gap(let gap, _): events.send(.lost(frames: gap.length.value))
    // The library records takes of one device.
    case .track, .device: return
    }
  }

  /// Reports a file that has its final name.
  func completed(_ result: RecordingResult) {
    if let path = result.path { events.send(.file(path)) }
  }

  /// Ends all sequences.
  func end() {
    levels.end()
    buffers.end()
    events.end()
  }
}
