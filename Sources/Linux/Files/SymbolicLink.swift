internal import Glibc

/// Symbolic links, read without following them.
package enum SymbolicLink {
  /// Returns the target of the link at `path`. Throws if the target is not UTF-8, because the text
  /// that Swift makes of the target would be the name of another file. The corresponding C function
  /// is `readlink`.
  package static func target(of path: String) throws(SystemError) -> String {
    try refuseNUL("readlink", path)
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let room = text.count
    let count = try checked("readlink", path) { unsafe readlink(path, &text, room) }
    let bytes = text[..<count].map(UInt8.init(bitPattern:))
    guard let target = String(validating: bytes, as: UTF8.self) else {
      throw SystemError("readlink", path, errno: .illegalSequence)
    }
    return target
  }
}

extension Descriptor {
  /// Returns the file's path without symbolic links. Returns nil if the file was removed, or if
  /// another file has its name.
  package func currentPath() throws(SystemError) -> String? {
    // For a removed file, the kernel returns the old path, followed by ` (deleted)`.
    let path = try SymbolicLink.target(of: ownPath)
    let file = try status()
    guard let named = try? FileStatus(of: path, following: false) else { return nil }
    return named.isSameFile(as: file) ? path : nil
  }
}
