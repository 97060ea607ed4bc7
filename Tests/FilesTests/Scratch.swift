import Audio
import Files
import Foundation
import Linux
import Support

/// A directory of one test. It is removed with all its content.
final class Scratch: Sendable {
  let path: String

  init() throws {
    ErrorBacktraces.off
    var template = Array("\(FileManager.default.temporaryDirectory.path)/files-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError("mkdtemp", errno: .last) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(name: String) -> String { path + "/" + name }

  /// Opens a new empty file.
  func create(_ name: String) throws -> Descriptor { try openFile(self[name], O_CREAT | O_TRUNC) }

  /// Writes a whole file and returns its path.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: self[name]))
    return self[name]
  }
}

/// Opens a file for reading and writing.
func openFile(_ path: String, _ flags: CInt = 0) throws -> Descriptor {
  Descriptor(owning: try checked("open", path) { open(path, O_RDWR | O_CLOEXEC | flags, 0o600) })
}

/// Returns all bytes of a file.
func contents(of path: String) throws -> [UInt8] {
  try Array(Data(contentsOf: URL(fileURLWithPath: path)))
}

extension SoundFileReader {
  /// Reads the first stream of a file.
  init(path: String) throws {
    try self.init(Descriptor(opening: path, .nonBlocking), named: path)
  }

  /// Reads the first stream from a descriptor.
  init(_ descriptor: consuming Descriptor, named label: String, raw: StreamFormat? = nil) throws {
    self = try SurveyedFile(descriptor, named: label, raw: raw).reader(of: 0)
  }
}
