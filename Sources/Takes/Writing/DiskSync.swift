internal import Files
internal import Linux
internal import Synchronization

/// Synchronizes the files and the journal of a segment to the disk. It has its own thread, so that
/// a slow disk delays nothing else.
///
/// A synchronization begins right after a piece of audio was written, and includes this piece. A
/// power cut loses at most the audio that is recorded in one interval and one synchronization. A
/// failure is stored in the file object, where the writing thread finds it.
final class DiskSync: Sendable {
  private let call: Event
  private let isOver = Atomic(false)
  /// The time of the last request to synchronize.
  private let began = Mutex(KernelClock.monotonic.now)

  /// The shortest time between two requests. In this time, an unattended take writes about three
  /// pieces.
  private static let interval = Duration.milliseconds(1_400)
  /// The longest wait for a request. After this time the thread synchronizes anyway, for example
  /// while a write hangs.
  private static let patience = Duration.seconds(2)

  init(_ files: [CheckedFile], at partFile: PartFile) throws(SystemError) {
    call = try Event()
    _ = try Thread("sync") { [self] in self.run(files, partFile) }
  }

  /// Requests a synchronization if one is due. Call it after each piece.
  func follow() {
    let now = KernelClock.monotonic.now
    let isDue = began.withLock { began in
      guard now - began >= Self.interval else { return false }
      began = now
      return true
    }
    if isDue { call.signal() }
  }

  /// Requests the end of the thread. The thread may still be waiting for the disk.
  func end() {
    // Pairs with the acquiring load in `run`.
    isOver.store(true, ordering: .releasing)
    call.signal()
  }

  private func run(_ files: [CheckedFile], _ partFile: PartFile) {
    var hasName = false
    while (try? call.descriptor.wait(upTo: Self.patience)) != nil {
      call.clear()
      // Pairs with the releasing store in `end`.
      if isOver.load(ordering: .acquiring) { return }
      for file in files where (try? file.synchronizeData()) == nil { return }
      if !hasName { partFile.keepPart() }
      hasName = true
      partFile.keepEvents()
    }
  }
}
