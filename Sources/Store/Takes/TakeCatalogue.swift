package import Control
internal import JSON
internal import Linux

/// The catalogue of saved files, one line each.
extension SessionStore {
  /// The results of all recordings, oldest first; lines that cannot be read are skipped.
  package var takes: [RecordingResult] { takes(after: 0) }

  /// The length of the catalogue in bytes, from which `takes(after:)` finds later lines.
  package var catalogueLength: Int64 {
    guard let directory = try? PrivateDirectory.open(paths.state) else { return 0 }
    return (try? directory.status(of: SessionPaths.catalogue))?.size ?? 0
  }

  /// The takes that were added after the catalogue had that length.
  package func takes(after length: Int64) -> [RecordingResult] {
    guard let directory = try? PrivateDirectory.open(paths.state),
      let file = try? directory.open(SessionPaths.catalogue, [.noFollow, .nonBlocking]),
      let bytes = try? Self.end(of: file, from: length)
    else { return [] }
    return Self.takes(in: bytes)
  }

  /// The takes of a catalogue's lines.
  static func takes(in bytes: [UInt8]) -> [RecordingResult] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let json = try? JSONValue(
        decoding: Array(line).span, limits: JSONLimits(bytes: Self.largest))
      return json.flatMap(RecordingResult.init(json:))
    }
  }

  // Years of files; of more, the newest are read, and a line that is cut is skipped like any other.
  private static let mostRead: Int64 = 1 << 28

  private static func end(
    of file: borrowing Descriptor, from start: Int64
  ) throws(SystemError) -> [UInt8] {
    let size = try file.status().size
    var offset = max(start, size - mostRead)
    guard offset < size else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(size - offset))
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while offset < size {
      let count = try file.read(into: &chunk, at: offset)
      if count == 0 { break }
      bytes += chunk[..<count]
      offset += Int64(count)
    }
    return bytes
  }
}
