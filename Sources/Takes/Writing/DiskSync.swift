internal import Files
internal import Linux

/// Synchronizes a file to the disk each second, on a thread of its own: a slow disk delays nothing
/// but itself.
///
/// The file latches a failure, so the writing thread finds it.
final class DiskSync: Sendable {
  private let ending: Event

  init(_ file: CheckedFile, at place: PartFile) throws(SystemError) {
    ending = try Event()
    _ = try Thread("sync") { [self] in self.run(file, place) }
  }

  /// Ends the thread; it may still wait for the disk.
  func end() { ending.signal() }

  private func run(_ file: CheckedFile, _ place: PartFile) {
    var hasName = false
    while (try? ending.descriptor.wait(upTo: .seconds(1))) == false {
      guard (try? file.synchronizeData()) != nil else { return }
      if !hasName { place.keepPart() }
      hasName = true
    }
  }
}
