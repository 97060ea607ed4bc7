package import JSON
package import Linux

/// The conditions for reading a file that only its owner can have written.
package struct TrustedFile {
  /// The largest size, in bytes.
  package let largest: Int64
  /// The largest number of hard links.
  let links: Int

  static let store = TrustedFile(largest: 65_536, links: 1)
  /// The conditions for the file with the decisions about programs. It has room for about 100,000
  /// decisions.
  static let programs = TrustedFile(largest: 16 << 20, links: 1)
  /// The conditions for a policy. It may have several hard links, because some systems share files
  /// between directory trees.
  static let policy = TrustedFile(largest: 65_536, links: .max)
  /// The conditions for a settings file, which no permission depends on. It may have several hard
  /// links, because package managers link identical files together.
  package static let configuration = TrustedFile(largest: 65_536, links: .max)
  static let audit = TrustedFile(largest: 4 << 20, links: 1)

  /// Returns the bytes of `name`, or nil if there is no such file.
  ///
  /// Refuses a FIFO without waiting for a writer, and a symbolic link without following it.
  func read(
    _ name: String, in directory: borrowing Directory, owner: UInt32
  ) throws(TrustFault) -> [UInt8]? {
    let path = directory.path(of: name)
    // A file that was replaced between open and fstat has no links left. The next open finds the
    // new file.
    for _ in 0..<1_000 {
      let file = try TrustFault.of(
        path, ifPresent(directory.open(name, [.readOnly, .noFollow, .nonBlocking])))
      guard let file else { return nil }
      let status = try TrustFault.of(path, file.status())
      if status.links == 0 { continue }
      if let flaw = flaw(of: status, owner: owner) { throw .file(path, flaw) }
      // A log may grow during the read. Its first `size` bytes end with a complete line.
      return try TrustFault.of(path, file.readAll(count: Int(status.size)))
    }
    throw .file(path, .links(0))
  }

  /// Returns the flaw that makes the file unfit, or nil if the file is fit.
  package func flaw(of status: FileStatus, owner: UInt32) -> FileFlaw? {
    if status.kind == .symbolicLink { return .symbolicLink }
    if status.kind != .regular { return .notRegular }
    if status.owner != owner { return .owner(status.owner) }
    if status.isWritableByOthers { return .writableByOthers(status.mode) }
    if status.links > links { return .links(status.links) }
    return status.size > largest ? .tooLarge(limit: largest) : nil
  }

  /// Returns a limit in words.
  static func words(_ limit: Int64) -> String {
    limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
  }
}

/// The reason why the user's decisions, the administrator's policies or the audit cannot be
/// trusted. A fault of the decisions or the policies refuses access.
package enum TrustFault: Error, Hashable, Sendable {
  case directory(DirectoryRefusal)
  case file(String, FileFlaw)

  /// Runs a step that reads the file at `path`. Throws an error of the step as a fault of the file
  /// or of the file's directory.
  static func of<Result: ~Copyable>(
    _ path: String, _ step: @autoclosure () throws -> Result
  ) throws(TrustFault) -> Result {
    try mapError({ (error: any Error) in TrustFault(path, error) }, step())
  }

  private init(_ path: String, _ error: any Error) {
    switch error {
    case let fault as TrustFault: self = fault
    case let refusal as DirectoryRefusal: self = .directory(refusal)
    case let flaw as FileFlaw: self = .file(path, flaw)
    case let flaw as PolicyFlaw: self = .file(path, .policy(flaw))
    case let error as SystemError: self = .file(path, FileFlaw(error))
    default: preconditionFailure("no step of the permission throws \(error)")
    }
  }

  /// True if moving the file away repairs the fault.
  package var canBeMovedAway: Bool {
    if case .directory = self { false } else { true }
  }
}

extension TrustFault: CustomStringConvertible {
  /// The file and its fault.
  package var description: String {
    switch self {
    case .directory(let refusal): refusal.description
    case .file(let path, let flaw): "\(PrintableText.quoted(path)) \(flaw)"
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
  /// The file has too many hard links, so another user may have kept a link. The value is the
  /// number of links.
  case links(Int)
  /// The value is the largest size, in bytes.
  case tooLarge(limit: Int64)
  case unreadable(SystemError)
  /// The file does not begin with a checksum line.
  case noChecksum
  /// The checksum does not match the bytes.
  case checksum
  /// The JSON is not in the form that this program writes.
  case malformed(JSONError)
  /// The text is not a valid policy.
  case policy(PolicyFlaw)
  /// The directory lists the file, but the file could not be opened.
  case gone

  fileprivate init(_ error: SystemError) {
    switch error.errno {
    case .tooManyLinks: self = .symbolicLink
    // The error of `open` for a socket.
    case .noSuchAddress: self = .notRegular
    default: self = .unreadable(error)
    }
  }
}

extension FileFlaw: CustomStringConvertible {
  /// The flaw, as the second part of a sentence that begins with the file's name.
  package var description: String {
    switch self {
    case .symbolicLink: "is a symbolic link"
    case .notRegular: "is not a plain file"
    case .owner(let user): "belongs to user \(user)"
    case .writableByOthers(let mode):
      "can be written by other users (mode \(String(mode, radix: 8)))"
    case .links(let count): "has \(count) hard links"
    case .tooLarge(let limit): "is larger than \(TrustedFile.words(limit))"
    case .unreadable(let error): "cannot be read (\(error.errno))"
    case .noChecksum: "does not begin with a checksum"
    case .checksum: "was changed or damaged: its checksum is wrong"
    case .malformed(let error): "contains data that this version cannot read: \(error)"
    case .policy(let flaw): "is not a valid policy: \(flaw)"
    case .gone: "is listed in its directory, but cannot be opened"
    }
  }
}
