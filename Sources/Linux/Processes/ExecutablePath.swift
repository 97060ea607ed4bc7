internal import Glibc

/// The path of the running program.
package enum ExecutablePath {
  /// The target of /proc/self/exe, also where an upgrade has replaced the file since.
  package static func current() throws(SystemError) -> String {
    let path = try SymbolicLink.target(of: "/proc/self/exe")
    let mark = " (deleted)"
    guard path.hasSuffix(mark), (try? FileStatus(of: path)) == nil else { return path }
    return String(path.dropLast(mark.count))
  }
}

/// Symbolic links, read and not followed.
package enum SymbolicLink {
  /// Returns the target of the link at `path`. The corresponding C function is `readlink`.
  package static func target(of path: String) throws(SystemError) -> String {
    try refuseNUL("readlink", path)
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let room = text.count
    let count = try checked("readlink", path) { unsafe readlink(path, &text, room) }
    return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
