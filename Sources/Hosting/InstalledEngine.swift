internal import Audio
package import Decoding
internal import Linux
internal import Sounds

/// The `recorder-engine` next to the program, or the installed one.
package enum InstalledEngine {
  /// The path of the engine, searched once, or nil if there is none.
  package static let path: String? = places.first { FileSystem.mayExecute($0) }

  /// The paths to try: next to this program (as in a build) or below its prefix, the same for the
  /// `recorder` command in `PATH`, then the default installation directories.
  private static var places: [String] {
    let programs = [try? ExecutablePath.current(), ExecutablePath.find("recorder")]
    let beside = programs.compactMap(\.self).flatMap { program -> [String] in
      let directory = program.pathParts.directory
      return ["", "../libexec/recorder/"].map { directory + $0 + "recorder-engine" }
    }
    return beside + [
      "/usr/local/libexec/recorder/recorder-engine", "/usr/libexec/recorder/recorder-engine",
    ]
  }

  /// The decoder for untrusted files: a confined child process if the engine is installed,
  /// otherwise a decoder in this process.
  package static var decoder: any FrameSupply.Type {
    path == nil ? LocalDecoder.self : ForeignDecoder.self
  }
}

/// A decoder in a confined child process of the installed engine.
final class ForeignDecoder: ChildDecoder {
  let child: DecoderChild

  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws(DecodingError) {
    guard let path = InstalledEngine.path else {
      throw .notStarted(SystemError("posix_spawn", "recorder-engine", errno: .noSuchFile))
    }
    child = try DecoderChild(path, file, order, from: first)
  }
}
