package import Linux

/// The reason that the administrator's policies cannot be trusted; nobody may use the microphone
/// then.
package enum PolicyFault: Error, Hashable, Sendable {
  case directory(DirectoryRefusal)
  case file(String, FileFlaw)
  /// The file was listed and could not be opened by its name.
  case gone(String)
  case contents(String, PolicyFlaw)
}

/// A fault in the text of a policy, with its place.
package struct PolicyFlaw: Error, Hashable, Sendable {
  /// The fault in words; completes a sentence that begins with the place.
  package let words: String
  /// The line, from 1; nil for a fault without a place.
  package let line: Int?
  /// The column in bytes, from 1; nil for a fault without a place.
  package let column: Int?

  /// A flaw; without a line it is shown without a place.
  package init(_ words: String, line: Int? = nil, column: Int? = nil) {
    self.words = words
    self.line = line
    self.column = column
  }
}

extension PolicyFault: CustomStringConvertible {
  /// The file, the place in it and the fault.
  package var description: String {
    switch self {
    case .directory(let refusal): refusal.description
    case .file(let path, let flaw): "\(quoted(path)) \(flaw)"
    case .gone(let path): "\(quoted(path)) has a name that cannot be opened"
    case .contents(let path, let flaw):
      "\(quoted(path))\(flaw.place): \(PrintableText.escape(flaw.words))"
    }
  }

  /// The administrator's remedy, completing "An administrator can ".
  package var remedy: String {
    switch self {
    case .directory(let refusal): remedy(for: refusal)
    case .file(let path, .owner): "type: chown root:root \(quoted(path))"
    case .file(let path, .writableByOthers): "type: chmod go-w \(quoted(path))"
    case .file(let path, .symbolicLink): "put the file itself at \(quoted(path))"
    case .gone(let path): "remove \(quoted(path)), or rename it"
    case .file(let path, _), .contents(let path, _):
      "correct it and type: recorder permission policy check \(quoted(path))"
    }
  }

  private func remedy(for refusal: DirectoryRefusal) -> String {
    let path = quoted(refusal.path)
    switch refusal.reason {
    case .owner: return "type: chown root:root \(path)"
    case .writableByOthers: return "type: chmod go-w \(path)"
    case .exposed(let exposure):
      return exposure.remedy(path).map { "type: \($0)" } ?? "type: chown root:root \(path)"
    case .relative, .root, .symbolicLink, .notDirectory, .system:
      return "put a directory of root's at \(path)"
    }
  }
}

extension PolicyFlaw {
  /// The place in the form of compilers, such as `:3:14`.
  var place: String {
    [line, column].compactMap { $0.map { ":\($0)" } }.joined()
  }
}
