internal import Audio
package import Decoding
internal import Linux
internal import Sounds

/// The engine that a program finds beside itself or installed.
package enum InstalledEngine {
  /// Its path, looked for once; nil where there is none.
  package static let path: String? = places.first { FileSystem.mayExecute($0) }

  /// Beside this program, as in a build or below its prefix; beside the command; where it is
  /// installed by default.
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

  /// The decoder for files that nobody vouches for: a confined child where the engine is installed,
  /// else one in this process.
  package static var decoder: any FrameSupply.Type {
    path == nil ? LocalDecoder.self : ForeignDecoder.self
  }
}

/// A decoder in a confined child of the installed engine.
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
