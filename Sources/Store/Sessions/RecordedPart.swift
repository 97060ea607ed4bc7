internal import Control
package import JSON
package import Linux

/// The entry in a session's record for a file that the session writes under a hidden name.
///
/// If the directory of a part was renamed, the part can be found by the device and inode numbers of
/// the file and of the directory.
package struct RecordedPart: Hashable, Sendable {
  /// The device and the inode, which identify a file or a directory on this machine.
  package struct Number: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    /// Creates the number of the file with this status.
    package init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  /// The position of a file in a take with several files.
  package struct TakePosition: Hashable, Sendable {
    /// The number of the file, 1 for the first, or nil if the take has one file.
    package var segment: Int?
    /// The moment since 1970 of its first frame, or nil for the beginning of the take.
    package var began: Duration?

    /// Creates a position. The default is the only file of a take.
    package init(segment: Int? = nil, began: Duration? = nil) {
      self.segment = segment
      self.began = began
    }
  }

  /// The absolute path.
  package var path: String
  /// The position in the take.
  package var position: TakePosition
  /// The numbers of the file and of its directory. They stay the same if a directory above them is
  /// renamed.
  private(set) var file: Number?
  private(set) var directory: Number?
  /// The time at which the file was created, in nanoseconds since 1970, or nil if it is not known.
  private(set) var created: Int64?

  /// Creates a part at a path. Its numbers are nil if the file or its directory cannot be read.
  package init(
    path: String, file: Number? = nil, directory: Number? = nil, created: Duration? = nil,
    _ position: TakePosition = TakePosition()
  ) {
    self.path = path
    self.file = file
    self.directory = directory
    self.created = created?.wholeNanoseconds
    self.position = position
  }

  /// Returns false if the file of the part was created at another time. The filesystem may store no
  /// such times.
  func mayBeCreated(at time: Duration?) -> Bool {
    created == nil || time == nil || created == time?.wholeNanoseconds
  }

  /// True while a file exists at the hidden path.
  package var isLeft: Bool { (try? FileStatus(of: path, following: false)) != nil }
}

extension RecordedPart: JSONMembers {
  /// A part whose members are about to be read.
  package static var blank: RecordedPart { RecordedPart(path: "") }

  /// Lists the members of the object within a record.
  package mutating func list(in form: inout JSONForm) {
    form.member("path", &path)
    form.member("file", &file)
    form.member("directory", &directory)
    form.member("created", &created)
    form.member("segment", &position.segment, in: .ordinals)
    form.member("began", &position.began, or: .some(nil), Duration.init(moment:)) { $0?.moment }
  }
}

extension RecordedPart.Number: JSONConvertible {
  /// Reads an array of the device and the inode. Returns nil for any other array.
  package init?(json: JSONValue) {
    guard let numbers = [UInt64](json: json), numbers.count == 2 else { return nil }
    (device, inode) = (numbers[0], numbers[1])
  }

  /// The array of the device and the inode.
  package var json: JSONValue { [device, inode].json }
}
