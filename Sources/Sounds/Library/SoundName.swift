internal import Linux

/// A name that a sound may have: one component of a path, that no option can be taken for.
package struct SoundName: Hashable, Sendable {
  /// The name itself.
  package let text: String

  /// Checks what somebody typed.
  package init(_ text: String) throws(SoundNameError) {
    if text.isEmpty { throw .empty }
    if text.utf8.count > 200 { throw .tooLong(bytes: text.utf8.count) }
    if text.hasPrefix("-") { throw .leadingDash }
    if text.utf8.contains(UInt8(ascii: "/")) { throw .slash }
    if text.utf8.contains(0) { throw .control }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw .control
    }
    if text.hasPrefix(".") || text.holds("..") { throw .dots }
    self.text = text
  }

  /// The name, then what is left without its last part, the one behind the last dash, and so on.
  var shortened: [String] {
    var names = [text]
    var rest = Substring(text)
    while let dash = rest.lastIndex(of: "-"), dash > rest.startIndex {
      rest = rest[..<dash]
      names.append(String(rest))
    }
    return names
  }
}

/// The reason why a text is no name of a sound.
package enum SoundNameError: Error, Hashable, Sendable {
  case empty
  case tooLong(bytes: Int)
  /// It could be taken for an option.
  case leadingDash
  case slash
  /// A character that no terminal shows as it is.
  case control
  /// It begins with a dot, or holds two in a row.
  case dots
}

extension SoundNameError: CustomStringConvertible {
  /// `a sound needs a name`.
  package var description: String {
    switch self {
    case .empty: "a sound needs a name"
    case .tooLong(let bytes): "a sound's name has at most 200 bytes, not \(bytes)"
    case .leadingDash: "a sound's name cannot begin with a dash"
    case .slash: "a sound's name has no slash"
    case .control: "a sound's name has no control characters"
    case .dots: "a sound's name neither begins with a dot nor has two in a row"
    }
  }
}
