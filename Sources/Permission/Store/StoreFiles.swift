internal import Linux

/// The files of the stores. The stores of all kinds are in the same directory.
extension Client.Kind {
  /// The name of the store's file without its extension.
  var stem: String { self == .caller ? "permissions" : "programs" }

  /// The directory with the grants of machines that do not own the shared file.
  var grants: String { self == .caller ? "grants" : "program-grants" }

  /// The conditions for reading the store's file.
  var conditions: TrustedFile { self == .caller ? .store : .programs }

  /// Finds the kind of clients that the file at `path` in a store is about. The result is nil for
  /// the audit, which is about all clients.
  package init?(ofFile path: String) {
    let names = path.pathNames
    let kind = Self.allCases.first { kind in
      names.last?.begins(with: kind.stem + ".") == true
        || names.dropLast().last?.isSameName(as: kind.grants) == true
    }
    guard let kind else { return nil }
    self = kind
  }
}
