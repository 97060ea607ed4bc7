internal import Linux
internal import Synchronization

/// The events of a take, each appended when it happens to a file beside the part; its first line
/// makes the file.
final class Journal: Sendable {
  private let exists = Atomic<Bool>(false)

  /// Adds a line; a journal that cannot be written stops no recording.
  func append(_ line: String, in directory: borrowing Directory, named part: String) {
    exists.store(true, ordering: .relaxed)
    let file = try? directory.open(
      part + ".jsonl", [.readWrite, .create, .append, .noFollow, .nonBlocking])
    if let file { try? file.append(line: line) }
  }

  func remove(from directory: borrowing Directory, named part: String) {
    if exists.load(ordering: .relaxed) { try? directory.remove(part + ".jsonl") }
  }
}
