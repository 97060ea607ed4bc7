internal import Glibc

/// Symbolic links, read and not followed.
package enum SymbolicLink {
  /// Returns the target of the link at `path`; throws for one that is not UTF-8, because any text made
  /// of it would name another file. The corresponding C function is `readlink`.
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
  /// The file's path, free of symbolic links; nil where none leads to it any more, because it was
  /// removed or another file has taken its name.
  package func place() throws(SystemError) -> String? {
    // Of a file that was removed the kernel gives the former path, with a remark behind it.
    let path = try SymbolicLink.target(of: ownPath)
    let file = try status()
    guard let named = try? FileStatus(of: path, following: false) else { return nil }
    return named.isSameFile(as: file) ? path : nil
  }
}
