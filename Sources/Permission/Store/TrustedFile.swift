package import Linux

/// The conditions for reading a file that only its owner can have written.
package struct TrustedFile {
  /// The largest size, in bytes.
  package let largest: Int64
  /// The largest number of hard links.
  let links: Int

  static let store = TrustedFile(largest: 65_536, links: 1)
  /// The conditions for a policy. It may have several hard links, because some systems share files
  /// between directory trees.
  static let policy = TrustedFile(largest: 65_536, links: .max)
  /// The conditions for a settings file, which no permission depends on. It may have several hard
  /// links, because package managers link identical files together.
  package static let configuration = TrustedFile(largest: 65_536, links: .max)
  static let audit = TrustedFile(largest: 4 << 20, links: 1)

  /// Returns the bytes of `name`, or nil if there is no such file.
  ///
  /// Refuses a FIFO without waiting for it, and a link without following it.
  func read(
    _ name: String, in directory: borrowing Directory, owner: UInt32
  ) throws(FileFlaw) -> [UInt8]? {
    // A file that was replaced between open and fstat has no links left. The next open finds the
    // new file.
    for _ in 0..<1_000 {
      guard let file = try open(name, in: directory) else { return nil }
      let status = try translating { () throws(SystemError) in try file.status() }
      if status.links == 0 { continue }
      if let flaw = flaw(of: status, owner: owner) { throw flaw }
      return try translating { () throws(SystemError) in try file.readAll(upTo: Int(largest)) }
    }
    throw .links(0)
  }

  /// Returns the flaw that makes the file unfit, or nil if it is fit.
  package func flaw(of status: FileStatus, owner: UInt32) -> FileFlaw? {
    if status.kind == .symbolicLink { return .symbolicLink }
    if status.kind != .regular { return .notRegular }
    if status.owner != owner { return .owner(status.owner) }
    if status.isWritableByOthers { return .writableByOthers(status.mode) }
    if status.links > links { return .links(status.links) }
    return status.size > largest ? .tooLarge : nil
  }

  private func open(
    _ name: String, in directory: borrowing Directory
  ) throws(FileFlaw) -> Descriptor? {
    do {
      return try directory.open(name, [.readOnly, .noFollow, .nonBlocking])
    } catch {
      switch error.errno {
      case .noSuchFile: return nil
      case .tooManyLinks: throw .symbolicLink
      // The error of `open` for a socket.
      case .noSuchAddress: throw .notRegular
      default: throw .unreadable(error)
      }
    }
  }

  private func translating<Answer>(
    _ call: () throws(SystemError) -> Answer
  ) throws(FileFlaw) -> Answer {
    do {
      return try call()
    } catch {
      throw error.errno == .tooLarge ? .tooLarge : .unreadable(error)
    }
  }
}

/// The reason why no decision may depend on a file.
package enum FileFlaw: Error, Hashable, Sendable {
  case symbolicLink
  /// A directory, a FIFO, a device or a socket.
  case notRegular
  /// The file belongs to this other user.
  case owner(UInt32)
  /// The group or other users can write the file. The value is the mode.
  case writableByOthers(UInt32)
  /// Another user may have kept a second name for the file. The value is the number of links.
  case links(Int)
  case tooLarge
  case unreadable(SystemError)
}
