package import Audio
internal import Linux

/// The destination of an export.
package enum ExportTarget: Sendable {
  /// The path of the file. If the export has several files, a number is added to each name.
  case file(String)
  /// A pipe or another open file, given by its descriptor. The export is first written to a
  /// temporary file in the directory `temporaryIn`.
  case stream(Int32, temporaryIn: String)
}

/// A file that was exported.
package struct ExportedFile: Hashable, Sendable {
  /// The path, or nil for a stream.
  package var path: String?
  /// The length in frames.
  package var frames: FrameCount
  /// The size in bytes.
  package var bytes: Int64
  /// The number of marks in the file that the user has set.
  package var marks: Int
  /// The loudness in LUFS, or nil if no loudness was requested.
  package var loudness: Double?

  init(_ piece: ExportLayout.Piece, at path: String?, bytes: Int64, marks: Int) {
    self.path = path
    frames = piece.range.upperBound - piece.range.lowerBound
    self.bytes = bytes
    self.marks = marks
  }
}

extension ExportedFile {
  /// Returns `count` paths with numbers, such as `talk-001.flac`.
  static func numbered(_ path: String, _ count: Int) -> [String] {
    let (directory, name) = path.pathParts
    let (stem, ending) = name.nameParts
    let width = max(3, String(count).count)
    return (1...count).map { index in
      let numbered = "\(stem)-\(zeroPadded(index, to: width))\(ending)"
      return path.utf8.contains(UInt8(ascii: "/")) ? directory.path(of: numbered) : numbered
    }
  }

  /// Removes the file, unless another file has taken its path.
  func remove(if status: FileStatus) {
    guard let path, let found = try? FileStatus(of: path, following: false),
      found.isSameFile(as: status)
    else { return }
    let (parent, name) = path.pathParts
    try? Directory(parent).remove(name)
  }
}
