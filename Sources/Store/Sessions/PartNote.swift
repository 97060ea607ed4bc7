package import JSON
package import Linux

/// The parts of a recording by the numbers of their files, which stay when a directory above them is
/// renamed.
///
/// It lies in a file of its own beside the record, which a former release reads strictly.
package struct PartNote: Hashable, Sendable {
  /// The number of a file or a directory, which no other has on this machine.
  package struct Number: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    package init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  /// A part, and the directory that it lies in.
  package struct Part: Hashable, Sendable {
    var file: Number
    var directory: Number

    package init(file: Number, directory: Number) {
      self.file = file
      self.directory = directory
    }
  }

  var identifier: String
  /// The latest last.
  var parts: [Part]
}

extension PartNote: JSONConvertible {
  package init?(json: JSONValue) {
    guard let identifier = json["id"]?.string, let parts = json["parts"].flatMap([Part].init(json:))
    else { return nil }
    self.init(identifier: identifier, parts: parts)
  }

  package var json: JSONValue { ["schema": 1, "id": identifier.json, "parts": parts.json] }
}

extension PartNote.Part: JSONConvertible {
  package init?(json: JSONValue) {
    guard let file = json["file"].flatMap(PartNote.Number.init(json:)),
      let directory = json["directory"].flatMap(PartNote.Number.init(json:))
    else { return nil }
    self.init(file: file, directory: directory)
  }

  package var json: JSONValue { ["file": file.json, "directory": directory.json] }
}

extension PartNote.Number: JSONConvertible {
  package init?(json: JSONValue) {
    guard let numbers = [UInt64](json: json), numbers.count == 2 else { return nil }
    (device, inode) = (numbers[0], numbers[1])
  }

  package var json: JSONValue { [device, inode].json }
}
