/// Names and paths as the kernel takes them: bytes, of which a slash, a dot and a dash mean
/// something.
///
/// A character of Swift's may hold such a byte together with a mark before or behind it, so that
/// `split` and `hasSuffix` of texts do not find it, while the kernel does.
extension String {
  /// True where it begins with these bytes.
  package func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }
}

extension Substring {
  /// True where it begins with these bytes.
  package func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }
}

extension StringProtocol {
  /// True where it ends with these bytes.
  package func ends(with text: String) -> Bool {
    utf8.count >= text.utf8.count && utf8.suffix(text.utf8.count).elementsEqual(text.utf8)
  }

  /// True for the same bytes; texts of Swift's are equal that are two names for the kernel.
  package func isSameName(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}

/// A path, compared by its bytes as the kernel does: texts that are equal in Swift may name two files.
package struct Path: Hashable, Sendable {
  /// The path itself.
  package let text: String

  /// The path of this text.
  package init(_ text: String) { self.text = text }

  /// True for the same bytes.
  package static func == (left: Path, right: Path) -> Bool {
    left.text.isSameName(as: right.text)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// The names of a path, without what is empty between slashes.
  package var pathNames: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  /// The directory of a path, with its slash or as `.`, and the name in it.
  package var pathParts: (directory: String, name: String) {
    guard let last = utf8.split(separator: UInt8(ascii: "/")).last else { return (".", self) }
    let parent = String(Substring(utf8[..<last.startIndex]))
    return (parent.isEmpty ? "." : parent, String(Substring(last)))
  }

  /// The directories above a path, the nearest first, as far as the path itself names them.
  package var directoriesAbove: [String] {
    var directories: [String] = []
    var place = Substring(self).utf8
    while let end = place.lastIndex(of: UInt8(ascii: "/")) {
      place = place[..<end]
      directories.append(place.isEmpty ? "/" : String(Substring(place)))
    }
    return directories
  }

  /// The path of a name in this directory.
  package func path(of name: String) -> String {
    ends(with: "/") ? self + name : self + "/" + name
  }

  /// The name up to its last dot, and the ending with that dot; a dot at the beginning begins no
  /// ending.
  package var nameParts: (stem: String, ending: String) {
    guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > utf8.startIndex else {
      return (self, "")
    }
    return (String(Substring(utf8[..<dot])), String(Substring(utf8[dot...])))
  }

  /// The ending of the name without its dot; empty without one.
  package var suffix: String {
    let ending = nameParts.ending
    return ending.isEmpty ? "" : ending.trimmingBytes(first: 1)
  }

  /// The text without a number of bytes at its beginning and its end, which the caller knows to be
  /// ASCII.
  package func trimmingBytes(first: Int = 0, last: Int = 0) -> String {
    String(Substring(utf8.dropFirst(first).dropLast(last)))
  }
}

extension [String] {
  /// The texts behind each other.
  ///
  /// Swift's own function of this name is for every collection: when it is first called it looks up
  /// types in all of the program, which is a tenth of a short command.
  package func joined(separator: String = "") -> String {
    var text = first ?? ""
    for part in dropFirst() { text += separator + part }
    return text
  }
}
