internal import Glibc

/// Functions that treat names and paths as bytes, as the kernel does.
///
/// If a combining mark follows a slash, a dot or a dash, a Swift string treats both as one
/// character. Then `split` and `hasSuffix` do not find the byte, but the kernel does.
extension String {
  /// Returns true if the string begins with these bytes.
  package func begins(with text: String) -> Bool {
    utf8.count >= text.utf8.count
      && utf8.span.extracting(first: text.utf8.count).order(before: text.utf8.span) == 0
  }
}

extension Substring {
  /// Returns true if the substring begins with these bytes.
  package func begins(with text: String) -> Bool { utf8.starts(with: text.utf8) }
}

extension StringProtocol {
  /// Returns true if the string ends with these bytes.
  package func ends(with text: String) -> Bool {
    utf8.count >= text.utf8.count && utf8.suffix(text.utf8.count).elementsEqual(text.utf8)
  }

  /// Returns true if the bytes are the same. Strings that are equal in Swift may be two different
  /// names to the kernel.
  package func isSameName(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}

extension String {
  /// Returns true if the bytes are the same. This function exists because the generic function is
  /// many times slower, and lists compare many names.
  package func isSameName(as other: String) -> Bool {
    utf8.count == other.utf8.count && order(before: other) == 0
  }

  /// Returns true if the bytes come before the bytes of `other`.
  package func isNameBefore(_ other: String) -> Bool { order(before: other) < 0 }

  private func order(before other: String) -> Int {
    utf8.span.order(before: other.utf8.span)
  }
}

extension Span<UInt8> {
  /// Returns a negative number if the bytes come before `other`, 0 if both are the same, and a
  /// positive number otherwise. The corresponding C function is `memcmp`.
  package func order(before other: Span<UInt8>) -> Int {
    let order = unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return 0 }
        return unsafe Int(memcmp(first, second, min(left.count, right.count)))
      }
    }
    return order == 0 ? count - other.count : order
  }
}

/// A path that is compared by its bytes, as in the kernel. Strings that are equal in Swift may name
/// two files.
package struct Path: Hashable, Sendable {
  /// The path as text.
  package let text: String

  /// Creates a path.
  package init(_ text: String) { self.text = text }

  /// Returns true if the bytes are the same.
  package static func == (left: Path, right: Path) -> Bool {
    left.text.isSameName(as: right.text)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Sequence<String> {
  /// Returns true if one of the strings has the same bytes as `name`.
  package func contains(name: String) -> Bool { contains { $0.isSameName(as: name) } }
}

extension Set<Path> {
  /// Creates the set of these names or paths.
  package init(names: some Sequence<String>) { self.init(names.map(Path.init)) }

  /// Returns true if the set has this name or path.
  package func contains(name: String) -> Bool { contains(Path(name)) }
}

extension String {
  /// The names between the slashes of a path, without empty names.
  package var pathNames: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  /// The directory of a path and the name in it. The directory ends with a slash, or is `.` if no
  /// slash precedes the name.
  package var pathParts: (directory: String, name: String) {
    guard let last = utf8.split(separator: UInt8(ascii: "/")).last else { return (".", self) }
    let parent = String(Substring(utf8[..<last.startIndex]))
    return (parent.isEmpty ? "." : parent, String(Substring(last)))
  }

  /// The directories above a path, as far as the text of the path names them, the nearest first.
  package var directoriesAbove: [String] {
    var directories: [String] = []
    var remainder = Substring(self).utf8
    while let end = remainder.lastIndex(of: UInt8(ascii: "/")) {
      remainder = remainder[..<end]
      directories.append(remainder.isEmpty ? "/" : String(Substring(remainder)))
    }
    return directories
  }

  /// Returns the path of a name in this directory.
  package func path(of name: String) -> String {
    ends(with: "/") ? self + name : self + "/" + name
  }

  /// The name up to its last dot, and the extension including that dot. A dot at the beginning does
  /// not begin an extension.
  package var nameParts: (stem: String, ending: String) {
    guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > utf8.startIndex else {
      return (self, "")
    }
    return (String(Substring(utf8[..<dot])), String(Substring(utf8[dot...])))
  }

  /// The extension of the name without its dot, or an empty string.
  package var suffix: String {
    let ending = nameParts.ending
    return ending.isEmpty ? "" : ending.trimmingBytes(first: 1)
  }

  /// Returns the text without some bytes at its beginning and its end. The caller must know that
  /// these bytes are ASCII.
  package func trimmingBytes(first: Int = 0, last: Int = 0) -> String {
    String(Substring(utf8.dropFirst(first).dropLast(last)))
  }
}

extension [String] {
  /// Joins the strings.
  ///
  /// Swift's own function of this name works on every collection. Its first call looks up types in
  /// the whole program, which takes a tenth of the time of a short command.
  package func joined(separator: String = "") -> String {
    var text = first ?? ""
    for part in dropFirst() { text += separator + part }
    return text
  }
}
