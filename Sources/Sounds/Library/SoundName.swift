internal import Linux

/// A valid name of a sound: a single path component that cannot be mistaken for an option.
package struct SoundName: Hashable, Sendable {
  /// The name itself.
  package let text: String

  /// Validates a text; throws the reason if it is not a valid name.
  package init(_ text: String) throws(SoundNameError) {
    if text.isEmpty { throw .empty }
    if text.utf8.count > 200 { throw .tooLong(bytes: text.utf8.count) }
    if text.begins(with: "-") { throw .leadingDash }
    if text.utf8.contains(UInt8(ascii: "/")) { throw .slash }
    if text.utf8.contains(0) { throw .control }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw .control
    }
    if text.begins(with: ".") || text.holds("..") { throw .dots }
    self.text = text
  }

  /// The name, followed by each shorter name: the name cut at its last dash, and so on.
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

/// The reason why a text is not a valid name of a sound.
package enum SoundNameError: Error, Hashable, Sendable {
  case empty
  case tooLong(bytes: Int)
  /// The text begins with a dash and could be mistaken for an option.
  case leadingDash
  case slash
  /// The text contains a control character.
  case control
  /// The text begins with a dot or contains two dots in a row.
  case dots
}

extension SoundNameError: CustomStringConvertible {
  /// A message such as `a sound needs a name`.
  package var description: String {
    switch self {
    case .empty: "a sound needs a name"
    case .tooLong(let bytes): "a sound's name has at most 200 bytes, not \(bytes)"
    case .leadingDash: "a sound's name cannot begin with a dash"
    case .slash: "a sound's name cannot contain a slash"
    case .control: "a sound's name cannot contain control characters"
    case .dots: "a sound's name cannot begin with a dot or contain two dots in a row"
    }
  }
}
