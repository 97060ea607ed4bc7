package import Linux

/// A valid name of a sound: a single path component that cannot be mistaken for an option.
package struct SoundName: Hashable, Sendable {
  /// The name itself.
  package let text: String

  /// Validates a text; throws `invalid` with the reason if it is not a valid name.
  package init(_ text: String) throws(SoundLibraryError) {
    if text.isEmpty { throw .invalid(text, .empty) }
    if text.utf8.count > 200 { throw .invalid(text, .tooLong(bytes: text.utf8.count)) }
    if text.begins(with: "-") { throw .invalid(text, .leadingDash) }
    if text.utf8.contains(UInt8(ascii: "/")) { throw .invalid(text, .slash) }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw .invalid(text, .control)
    }
    if text.begins(with: ".") || text.holds("..") { throw .invalid(text, .dots) }
    self.text = text
  }

  /// The name, then shorter names. Each shorter name is the previous name, cut at its last dash.
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

/// The reason why no sound can be played under a name.
package enum SoundLibraryError: Error, Hashable, Sendable {
  /// The text is not a valid name.
  case invalid(String, SoundNameFlaw)
  /// No sound has the name. `nearest` has similar names.
  case unknown(String, nearest: [String])
  /// The file cannot be opened.
  case unusable(path: String, SystemError)
  /// The path is a directory, a pipe or a device.
  case notRegular(path: String)
}

/// The reason why a text is not a valid name of a sound.
package enum SoundNameFlaw: Hashable, Sendable {
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

extension SoundNameFlaw: CustomStringConvertible {
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
