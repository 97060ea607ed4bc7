package import Linux

/// The client that a decision is about.
///
/// A caller runs recorder under a name of its choice. The name selects a record and appears in the
/// audit, but does not authenticate the caller. A program records through PipeWire. The kernel or
/// the program's sandbox identifies the program. No caller can have the name of a program.
package struct Client: Sendable {
  /// The kinds of clients. Each kind has a file for its decisions.
  package enum Kind: Hashable, CaseIterable, Sendable {
    case caller, program
  }

  /// The name of a caller, or the identifier of a program.
  ///
  /// The name of a caller has 1 to 64 of the characters `a` to `z`, `0` to `9`, `.`, `_` and `-`.
  /// The identifier of a program is `path:/…`, `flatpak:ID` or `snap:NAME`, or `unknown:` and a
  /// reason if the program cannot be identified. `*` stands for every caller, `program:*` for every
  /// program.
  package let name: String
  /// The kind of the client.
  package let kind: Kind

  /// Every caller. A refusal of this client applies to callers of any name.
  package static let everyone = Client(name: "*", kind: .caller)
  /// Every program. A refusal of this client applies to programs of any identifier.
  package static let allPrograms = Client(name: "program:*", kind: .program)

  private init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Creates a caller with this name. The result is nil if the name is invalid. `*` is everyone.
  package init?(_ name: String) {
    guard name == "*" || isLabel(name) else { return nil }
    self.init(name: name, kind: .caller)
  }

  /// Creates a program with this identifier. The result is nil if the identifier is invalid, and
  /// for `program:*`. A path must be as the kernel reports it: absolute, without `.`, `..` and
  /// `//`.
  package init?(program identifier: String) {
    guard isProgram(identifier) else { return nil }
    self.init(name: identifier, kind: .program)
  }

  /// Creates the program with the executable at `path`, an absolute path without symbolic links.
  /// The result is nil if the path is invalid.
  package init?(path: String) { self.init(program: "path:" + path) }
}

extension Client {
  /// The beginning of the name of a program that cannot be identified. The reason follows.
  package static let unknown = "unknown:"

  /// Creates the program with this identity. No decision can be stored about an unknown program.
  package init(_ identity: ProgramIdentity) {
    if let known = identity.identifier.flatMap(Client.init(program:)) {
      self = known
    } else if case .unknown(let reason) = identity {
      self.init(name: Self.unknown + reason.rawValue, kind: .program)
    } else {
      self.init(.unknown(.invalid))
    }
  }

  /// Whether decisions can be stored about the client.
  package var isIdentified: Bool { !name.begins(with: Self.unknown) }
}

extension Client: Hashable {
  /// Compares the bytes, because the kernel distinguishes paths that look the same.
  package static func == (left: Client, right: Client) -> Bool {
    left.name.isSameName(as: right.name)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) { Path(name).hash(into: &hasher) }
}

extension Client {
  /// The path of a program's executable, or nil if the client has none.
  package var path: String? {
    kind == .program && name.begins(with: "path:") ? name.trimmingBytes(first: 5) : nil
  }

  /// The name of a program without its directory or its prefix, as users call it.
  package var baseName: String {
    if let path { return path.pathNames.last ?? path }
    let colon = name.utf8.firstIndex(of: UInt8(ascii: ":"))
    return colon.map { String(Substring(name.utf8[$0...].dropFirst())) } ?? name
  }
}

extension Client.Kind {
  /// The client that stands for all clients of the kind.
  package var everyone: Client { self == .caller ? .everyone : .allPrograms }

  /// Returns the client of this kind with a stored name, or nil if the name is invalid.
  func client(named name: String) -> Client? {
    switch self {
    case .caller: Client(name)
    case .program: name.isSameName(as: everyone.name) ? everyone : Client(program: name)
    }
  }
}

/// Returns whether `text` identifies a program.
private func isProgram(_ text: String) -> Bool {
  // A path has at most 4,096 bytes.
  guard text.utf8.count <= 4_200 else { return false }
  if text.begins(with: "path:/") {
    return hasOnlyNames(text.utf8.span.extracting(droppingFirst: 6))
  }
  let prefix = ["flatpak:", "snap:"].first(where: text.begins)
  return prefix.map { isSandboxName(text.utf8.dropFirst($0.utf8.count)) } ?? false
}

/// Returns whether all names of a path are valid: not empty, `.` or `..`, and without a NUL.
private func hasOnlyNames(_ path: Span<UInt8>) -> Bool {
  var start = 0
  while true {
    let end = path.firstIndex(of: UInt8(ascii: "/"), from: start) ?? path.count
    switch end - start {
    case 0: return false
    case 1 where path[start] == UInt8(ascii: "."): return false
    case 2 where path[start] == UInt8(ascii: ".") && path[start + 1] == UInt8(ascii: "."):
      return false
    default: break
    }
    if end == path.count { return path.firstIndex(of: 0) == nil }
    start = end + 1
  }
}

/// Returns whether the bytes may be the ID of a Flatpak, or the name or label of a snap.
private func isSandboxName(_ name: Substring.UTF8View) -> Bool {
  (1...255).contains(name.count)
    && name.allSatisfy { $0.isASCIIAlphanumeric || "._-+".utf8.contains($0) }
}
