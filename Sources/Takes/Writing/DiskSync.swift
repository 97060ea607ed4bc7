internal import Files
internal import Linux

/// Brings a file to the disk each second, on a thread of its own: a slow disk delays nothing but itself.
///
/// What fails is latched by the file, so the writing thread finds it.
final class DiskSync: Sendable {
  private let ending: Event

  init(_ file: CheckedFile, at place: PartFile) throws(SystemError) {
    ending = try Event()
    _ = try Thread("sync") { [self] in self.run(file, place) }
  }

  /// Lets the thread go; it may still wait for the disk.
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
