internal import CommandLine
internal import Control
internal import Linux

/// Finds the parts that dead sessions left.
struct PartSearch {
  let shelf: SessionShelf

  /// Those of this user that are known, wherever they are.
  var all: [InterruptedPart] {
    shelf.interrupted.flatMap { record in
      record.parts.compactMap { InterruptedPart(path: $0, record: record) }
    }
  }

  /// Those that a path means: a part, the file that it was to become, or all in a directory.
  func parts(at path: String) throws(Failure) -> [InterruptedPart] {
    let (parent, name) = PartFile.split(path)
    if (try? FileStatus(of: path))?.kind == .directory {
      let found = try names(in: path).filter { PartName($0) != nil }.sorted()
      return found.compactMap { part(in: path, $0) }
    }
    if PartName(name) != nil { return [part(in: parent, name)].compactMap(\.self) }
    return parts(of: name, in: parent)
  }

  /// Those of a file that was to be.
  func parts(of target: String, in directory: String) -> [InterruptedPart] {
    (1...PartName.most).compactMap { part(in: directory, PartName(of: target, $0).text) }
  }

  private func part(in directory: String, _ name: String) -> InterruptedPart? {
    let path = (directory.hasSuffix("/") ? directory : directory + "/") + name
    guard let status = try? FileStatus(of: path, following: false) else { return nil }
    return InterruptedPart(path: path, record: shelf.record(ofPart: status))
  }

  private func names(in path: String) throws(Failure) -> [String] {
    do throws(SystemError) {
      return try Directory(path).names()
    } catch {
      throw Failure(.outputRefused, Message("cannot look in", on: path, why: "\(error.errno)"))
    }
  }
}
