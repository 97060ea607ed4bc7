internal import Linux

/// The files of the store of each kind, all in one directory.
extension Client.Kind {
  /// The name of the store's file without its extension.
  var stem: String { self == .caller ? "permissions" : "programs" }

  /// The directory with the files of further machines.
  var grants: String { self == .caller ? "grants" : "program-grants" }

  /// The conditions for reading the store's file.
  var conditions: TrustedFile { self == .caller ? .store : .programs }

  /// Creates the kind of clients that the file at `path` in a store is about.
  package init(ofFile path: String) {
    let names = path.pathNames
    let isProgram =
      names.last?.begins(with: Self.program.stem + ".") == true
      || names.dropLast().last?.isSameName(as: Self.program.grants) == true
    self = isProgram ? .program : .caller
  }
}
