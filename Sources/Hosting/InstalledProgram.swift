package import Decoding
internal import Linux
internal import Sounds

/// The installed command `recorder`, which decodes untrusted files for other programs.
package enum InstalledProgram {
  /// The path of the command, or nil if it is not installed.
  package static let path: String? = paths.first { FileSystem.mayExecute($0) }

  /// The possible paths: next to this program, as in a build; in PATH; the default installations.
  private static var paths: [String] {
    let own = try? ExecutablePath.current()
    let neighbour = own.map { $0.pathParts.directory + "recorder" }
    let found = [neighbour, ExecutablePath.find("recorder")].compactMap(\.self)
    // A program of another package may have the same name as this command.
    return (found + ["/usr/local/bin/recorder", "/usr/bin/recorder"]).filter { $0 != own }
  }

  /// The decoder for untrusted files: a confined child that runs the command, or nil if the command
  /// is not installed.
  package static var decoder: DecoderStart? {
    path.map { path -> DecoderStart in { try DecoderChild(path, $0, $1, from: $2) } }
  }
}
