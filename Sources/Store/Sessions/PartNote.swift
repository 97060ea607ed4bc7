package import JSON
package import Linux

/// The parts of a recording by the numbers of their files, which stay when a directory above them is
/// renamed.
///
/// It is a file of its own beside the record, because a former release accepts no other key there.
package struct PartNote: Hashable, Sendable {
  /// The number of a file or a directory, which no other has on this machine.
  package struct Number: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    /// The number of the file with this status.
    package init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  /// A part, and the directory that it lies in.
  package struct Part: Hashable, Sendable {
    var file: Number
    var directory: Number

    /// A part by its numbers.
    package init(file: Number, directory: Number) {
      self.file = file
      self.directory = directory
    }
  }

  var identifier: String
  /// The parts, the latest last.
  var parts: [Part]
}

extension PartNote: JSONConvertible {
  /// Reads what `json` wrote; nil without an identifier or with a wrong part.
  package init?(json: JSONValue) {
    guard let identifier = json["id"]?.string, let parts = json["parts"].flatMap([Part].init(json:))
    else { return nil }
    self.init(identifier: identifier, parts: parts)
  }

  /// The object of the note, with its schema.
  package var json: JSONValue { ["schema": 1, "id": identifier.json, "parts": parts.json] }
}

extension PartNote.Part: JSONConvertible {
  /// Reads what `json` wrote; nil where a number is missing.
  package init?(json: JSONValue) {
    guard let file = json["file"].flatMap(PartNote.Number.init(json:)),
      let directory = json["directory"].flatMap(PartNote.Number.init(json:))
    else { return nil }
    self.init(file: file, directory: directory)
  }

  /// The object of one part.
  package var json: JSONValue { ["file": file.json, "directory": directory.json] }
}

extension PartNote.Number: JSONConvertible {
  /// Reads the pair of the device and the inode; nil for any other array.
  package init?(json: JSONValue) {
    guard let numbers = [UInt64](json: json), numbers.count == 2 else { return nil }
    (device, inode) = (numbers[0], numbers[1])
  }

  /// The array of the device and the inode.
  package var json: JSONValue { [device, inode].json }
}
