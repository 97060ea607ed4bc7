internal import Audio
internal import Control
internal import Files
internal import Linux
internal import Store
internal import Takes

/// The part of a take whose session may be dead, with its record.
struct InterruptedPart {
  /// The directory that holds it.
  let directory: String
  let name: PartName
  /// The record of its session; nil where it is lost, or belongs to another user.
  let record: SessionRecord?

  init?(path: String, record: SessionRecord?) {
    let (directory, text) = PartFile.split(path)
    guard let name = PartName(text) else { return nil }
    self.directory = directory
    self.name = name
    self.record = record
  }

  var path: String { directory.path(of: name.text) }

  /// The name that the file was going to have; the record has it only for the last file of a take.
  var target: String {
    guard let record, let path = record.path,
      record.part.map({ PartFile.split($0).name.isSameName(as: name.text) }) == true
    else { return name.target }
    return PartFile.split(path).name
  }

  /// The facts outside of the file that help to read it.
  var clue: PartClue {
    PartClue(
      format: record?.output?.format, stream: record?.file, named: TakeName.format(of: target))
  }
}

/// A part that is open and locked.
struct OpenPart {
  let part: InterruptedPart
  /// The file, opened for writing by this process.
  let file: CheckedFile
  let status: FileStatus
  /// The file, opened for reading by a child, which cannot write through it.
  let unread: UnreadPart

  /// Takes over a descriptor that holds the lock.
  init(
    _ part: InterruptedPart, _ file: consuming Descriptor, _ status: FileStatus,
    in directory: borrowing Directory
  ) throws(SystemError) {
    let copy = try directory.open(part.name.text, [.noFollow, .nonBlocking])
    let found = try copy.status()
    // Another process may have replaced it meanwhile.
    guard found.device == status.device, found.inode == status.inode else {
      throw SystemError("open", part.path, errno: .noSuchFile)
    }
    do throws(SoundFileError) {
      self.file = try CheckedFile(file, named: part.path)
    } catch {
      throw SystemError("fstat", part.path, errno: .inputOutput)
    }
    self.part = part
    self.status = status
    unread = UnreadPart(file: OpenFile(copy), clue: part.clue)
  }

  /// The result by the record and the size alone; nil where the file has to be read.
  var known: PartReading? {
    if file.end == 0 { return .empty }
    guard unread.clue.format == .raw, let stream = unread.clue.stream else { return nil }
    let frames = FrameCount(file.end / Int64(stream.bytesPerFrame))
    return frames == 0 ? .empty : .plan(RepairPlan(stream, frames: frames, .raw))
  }
}
