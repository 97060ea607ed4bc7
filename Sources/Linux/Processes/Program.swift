internal import CLinux
internal import Glibc

/// The running program.
package enum Program {
  /// The arguments as the kernel passed them. The first argument is the program's name, and nil
  /// follows the last argument.
  @unsafe package static var vector:
    (first: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int)
  {
    var count: CInt = 0
    let first = unsafe program_arguments(&count)
    return unsafe (first, Int(count))
  }

  /// The arguments after the program's name, or nil if one of them is not UTF-8.
  package static var arguments: [String]? {
    var words: [String] = []
    let (first, count) = unsafe vector
    for index in 1..<max(1, count) {
      guard let bytes = unsafe first[index],
        let word = unsafe String(validatingCString: bytes)
      else { return nil }
      words.append(word)
    }
    return words
  }

  /// Replaces this program with the program at `path`. The environment stays the same, and `words`
  /// are added after the arguments of this program.
  ///
  /// The corresponding C function is `execv`. This function returns only if it fails.
  package static func become(_ path: String, adding words: [String]) -> SystemError {
    let (first, count) = unsafe vector
    var vector = unsafe (0..<count).map { unsafe first[$0] }
    for word in words { unsafe vector.append(strdup(word)) }
    unsafe vector.append(nil)
    _ = unsafe execv(path, vector)
    return SystemError("execv", path, errno: .last)
  }

  /// Ends the process immediately. It does not wait for other threads, and exit handlers do not
  /// run. The C function is `_exit`.
  package static func end(_ code: Int32) -> Never { _exit(code) }

  /// Returns the absolute path of a file, for comparisons. Symbolic links in the directory part are
  /// resolved if this directory exists and the last name is not `..`.
  package static func absolutePath(of path: String) -> String {
    let start = path.begins(with: "/") ? "/" : (try? workingDirectory()) ?? "."
    let names = path.pathNames.filter { $0 != "." }
    guard let name = names.last, name != ".." else {
      return names.reduce(start) { $0.path(of: $1) }
    }
    let parent = names.dropLast().reduce(start) { $0.path(of: $1) }
    let currentPath = try? Descriptor(opening: parent, .pathOnly).currentPath()
    return (currentPath.flatMap { $0 } ?? parent).path(of: name)
  }

  /// Returns the working directory as a path without symbolic links.
  package static func workingDirectory() throws(SystemError) -> String {
    try SymbolicLink.target(of: "/proc/self/cwd")
  }
}

/// The path of the running program.
package enum ExecutablePath {
  /// Returns the target of /proc/self/exe, without the mark that the kernel adds if an upgrade has
  /// replaced the file since the start.
  package static func current() throws(SystemError) -> String {
    let path = try SymbolicLink.target(of: "/proc/self/exe")
    let mark = " (deleted)"
    guard path.ends(with: mark), (try? FileStatus(of: path)) == nil else { return path }
    return String(path.dropLast(mark.count))
  }

  /// Returns the path of a program in PATH, or nil if it is not installed.
  package static func find(_ name: String) -> String? {
    let directories = (Environment.value(of: "PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return directories.map { "\($0)/\(name)" }.first(where: FileSystem.mayExecute)
  }
}
