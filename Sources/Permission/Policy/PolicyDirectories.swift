internal import Linux

/// The directories of the administrator's policies.
package struct PolicyDirectories: Sendable {
  /// The directories. A file in an earlier directory hides files of the same name in later
  /// directories.
  package let paths: [String]
  /// The only user who may write to the directories.
  package let owner: UInt32

  /// The system's directories; no variable changes them.
  package static let system = PolicyDirectories(
    paths: ["/etc/recorder/policy.d", "/usr/lib/recorder/policy.d"], owner: 0)
}

/// The result of checking one file: its policy or its fault.
package struct CheckedPolicy: Hashable, Sendable {
  /// The path of the file, or of a directory that cannot be used.
  package let file: String
  /// The policy, or the fault.
  package let result: Result<Policy, TrustFault>
  /// The paths of the files that this file hides.
  package let hidden: [String]

  /// True if the file was listed but no longer exists.
  fileprivate var isGone: Bool { if case .file(_, .gone) = fault { true } else { false } }

  /// The fault, or nil if there is none.
  package var fault: TrustFault? { if case .failure(let fault) = result { fault } else { nil } }
}

extension PolicyDirectories {
  /// Loads all policies; one fault makes all of them unusable.
  package func load() -> Policies {
    // A listed file that no longer exists may just have been replaced or removed, so the
    // directories are listed again.
    for _ in 0..<3 {
      let checked = check()
      if !checked.contains(where: \.isGone) { return Self.policies(checked) }
    }
    return Self.policies(check())
  }

  /// Checks every file that is not hidden, in the order of the file names. The result begins with
  /// the directories that cannot be used.
  package func check() -> [CheckedPolicy] {
    // Compared by bytes: two names that differ for the kernel can be equal as Swift strings.
    var homes: [[UInt8]: [String]] = [:]
    var refused: [CheckedPolicy] = []
    for path in paths {
      do {
        for name in try names(in: path) { homes[Array(name.utf8), default: []].append(path) }
      } catch {
        refused.append(CheckedPolicy(file: path, result: .failure(.directory(error)), hidden: []))
      }
    }
    let sorted = homes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    return refused
      + sorted.compactMap { check(String(decoding: $0.key, as: UTF8.self), in: $0.value) }
  }

  /// Checks one file before it is installed. Its path, its owner and its mode do not matter.
  package static func check(file: String) -> CheckedPolicy {
    let result = Result { () throws(TrustFault) in
      try TrustFault.of(file, Policy(decoding: bytes(of: file), file: file))
    }
    return CheckedPolicy(file: file, result: result, hidden: [])
  }

  private static func bytes(of file: String) throws -> [UInt8] {
    let limit = TrustedFile.policy.largest
    let bytes = try unless(.tooLarge, Descriptor(opening: file).readAll(upTo: Int(limit)))
    guard let bytes else { throw FileFlaw.tooLarge(limit: limit) }
    return bytes
  }

  private static func policies(_ checked: [CheckedPolicy]) -> Policies {
    if let fault = checked.compactMap(\.fault).first { return .unusable(fault) }
    return .usable(checked.compactMap { try? $0.result.get() })
  }

  private func check(_ name: String, in homes: [String]) -> CheckedPolicy? {
    guard let home = homes.first else { return nil }
    let file = "\(home)/\(name)"
    let result = Result { () throws(TrustFault) in
      try TrustFault.of(file, Policy(decoding: read(name, in: home), file: file))
    }
    return CheckedPolicy(
      file: file, result: result, hidden: homes.dropFirst().map { "\($0)/\(name)" })
  }
}

extension PolicyDirectories {
  /// Whether a directory has a policy, or cannot be used.
  var hasPolicy: Bool { paths.contains { path in (try? names(in: path).isEmpty) != true } }

  /// Returns the names of the policies in a directory, or none if the directory does not exist.
  private func names(in path: String) throws(DirectoryRefusal) -> [String] {
    // The directories above are checked even if the directory does not exist, because another user
    // may have moved it away.
    try Ancestors.check(above: path, owner: owner)
    guard let directory = try PrivateDirectory.openIfPresent(path, owner: owner) else { return [] }
    return try DirectoryRefusal.of(
      path, directory.names().filter { $0.ends(with: ".json") && !$0.begins(with: ".") })
  }

  private func read(_ name: String, in path: String) throws -> [UInt8] {
    // After these checks, only the administrator can have created or filled the directory.
    try Ancestors.check(above: path, owner: owner)
    let directory = try PrivateDirectory.open(path, owner: owner)
    let bytes = try TrustedFile.policy.read(name, in: directory, owner: owner)
    guard let bytes else { throw FileFlaw.gone }
    return bytes
  }
}
