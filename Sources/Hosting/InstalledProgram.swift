package import Decoding
internal import Linux
internal import Sounds

/// The installed command `recorder`, which decodes untrusted files for other programs.
package enum InstalledProgram {
  /// The path of the command, or nil if it is not installed.
  package static let path: String? = paths.first { FileSystem.mayExecute($0) }

  /// The possible paths, in search order: in the directory of this program (as in a build
  /// directory), in PATH, and in the default installation directories.
  private static var paths: [String] {
    let own = try? ExecutablePath.current()
    let neighbour = own.map { $0.pathParts.directory + "recorder" }
    let found = [neighbour, ExecutablePath.find("recorder")].compactMap(\.self)
    // Leave out this program: a program that uses the library may also be called `recorder`.
    return (found + ["/usr/local/bin/recorder", "/usr/bin/recorder"]).filter { $0 != own }
  }

  /// The decoder for untrusted files, which runs the command in a confined child process, or nil if
  /// the command is not installed.
  package static var decoder: DecoderStart? {
    path.map { path -> DecoderStart in { try DecoderChild(path, $0, $1, from: $2) } }
  }
}
