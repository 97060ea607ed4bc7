internal import Audio
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

  /// The decoder for untrusted files: a confined child if the command is installed, otherwise a
  /// decoder in this process.
  package static var decoder: any FrameSupply.Type {
    path == nil ? LocalDecoder.self : ForeignDecoder.self
  }
}

/// A decoder in a confined child, which runs the installed command.
final class ForeignDecoder: ChildDecoder {
  let child: DecoderChild

  init(_ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount) throws {
    guard let path = InstalledProgram.path else {
      throw SystemError("posix_spawn", "recorder", errno: .noSuchFile)
    }
    child = try DecoderChild(path, file, order, from: first)
  }
}
