package import Audio
internal import Control
internal import Linux
internal import Permission
package import Recording
internal import Synchronization

/// The programs that read the frames of a take while it is recorded.
///
/// The writing thread sends to them, and never waits: a program that reads too slowly misses
/// frames. All other calls come from the session's thread.
package final class TakeTaps: TakeMonitor {
  /// The most readers at a time.
  package static let most = 32
  private static let neededByTake = 16

  /// The monitor of the host, or nil if there is none.
  private let host: (any TakeMonitor)?
  private let readers = Mutex<[TapReader]>([])
  private let count = Atomic<Int>(0)

  init(beside host: (any TakeMonitor)?) { self.host = host }

  package var isListening: Bool { readerCount > 0 || host?.isListening == true }

  package func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int) {
    host?.take(frames, of: stream, at: position)
    guard readerCount > 0 else { return }
    for reader in readers.withLock({ $0 }) { reader.take(frames, of: stream, at: position) }
  }

  package func measured(_ level: Level, _ channels: [Level]) { host?.measured(level, channels) }

  package func note(_ event: PositionedEvent) { host?.note(event) }
}

extension TakeTaps {
  /// The number of readers.
  var readerCount: Int { count.load(ordering: .relaxed) }

  /// Whether no further reader can be added, because the limit of readers is reached, or because
  /// too few descriptors are left for the next files of the take.
  var isFull: Bool { readerCount >= Self.most || DescriptorReserve.left < Self.neededByTake }

  func add(_ reader: TapReader) { change { $0.append(reader) } }

  /// Removes the readers that have left.
  func removeDeparted(at now: Duration = KernelClock.monotonic.now) {
    guard readerCount > 0 else { return }
    remove { $0.hasLeft(at: now) }
  }

  private func remove(where hasLeft: (TapReader) -> Bool) {
    let departed = readers.withLock { $0 }.filter(hasLeft)
    change { readers in readers.removeAll { reader in departed.contains { $0 === reader } } }
    // The access is not ended in `deinit`, because the writing thread may release the last
    // reference, and ending the access may wait for a lock.
    for reader in departed { reader.access.end() }
  }

  /// Ends the readers that have lost their access.
  ///
  /// - Parameters:
  ///   - silent: the services that the take has lost.
  ///   - refusal: returns the refusal that the reader receives.
  func followAccess(without silent: Set<Service>, _ refusal: (AccessLoss) -> Refusal) {
    guard readerCount > 0 else { return }
    for reader in readers.withLock({ $0 }) {
      guard let loss = reader.access.loss(without: silent) else { continue }
      reader.end(.refused(refusal(loss)))
      reader.access.end()
    }
  }

  /// Adds the readers with unsent bytes to `poll`.
  func enlist(in poll: inout Poll) {
    for reader in waiting { poll.add(reader.number, for: .writable) }
  }

  /// Sends as much as the readers accept now. During a pause, only this call sends the remaining
  /// frames.
  func flush() { for reader in waiting { reader.flush() } }

  private var waiting: [TapReader] { readers.withLock { $0.filter(\.hasUnsent) } }

  /// Sends the end of the take to all readers.
  func end() { for reader in readers.withLock({ $0 }) { reader.end(.done) } }

  /// Ends and removes all readers. Bytes that a reader does not accept now are lost.
  func close() {
    end()
    remove { _ in true }
  }

  /// Waits until everything is sent to all readers, at most for the time `limit`. Gives up if no
  /// reader accepts bytes during the time `patience`.
  func drain(upTo limit: Duration, patience: Duration) {
    let deadline = KernelClock.monotonic.now + limit
    var poll = Poll(capacity: Self.most)
    while true {
      removeDeparted()
      let left = deadline - KernelClock.monotonic.now
      poll.removeAll()
      enlist(in: &poll)
      guard poll.count > 0, left > .zero else { return }
      guard let ready = try? poll.wait(upTo: min(left, patience)), ready > 0 else { return }
      flush()
    }
  }

  private func change(_ change: (inout [TapReader]) -> Void) {
    readers.withLock { readers in
      change(&readers)
      count.store(readers.count, ordering: .relaxed)
    }
  }
}
