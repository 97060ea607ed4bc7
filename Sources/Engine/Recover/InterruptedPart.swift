internal import Audio
internal import Control
internal import Files
internal import Linux
internal import Store
internal import Takes

/// The part of a take whose session may be dead, and what is known of it.
struct InterruptedPart {
  /// The directory that holds it.
  let directory: String
  let name: PartName
  /// What its session wrote down; nil where that is lost, or was another user's.
  let record: SessionRecord?

  init?(path: String, record: SessionRecord?) {
    let (directory, text) = PartFile.split(path)
    guard let name = PartName(text) else { return nil }
    self.directory = directory
    self.name = name
    self.record = record
  }

  var path: String { directory.path(of: name.text) }

  /// The name of the file that it was to become; the record says it of the last one of a take alone.
  var target: String {
    guard let record, let path = record.path,
      record.part.map({ PartFile.split($0).name.isSameName(as: name.text) }) == true
    else { return name.target }
    return PartFile.split(path).name
  }

  /// The facts that help to read it.
  var clue: PartClue {
    PartClue(
      format: record?.output?.format, stream: record?.file, named: TakeName.format(of: target))
  }
}

/// A part that is open and locked.
struct OpenPart {
  let part: InterruptedPart
  /// Written by this process.
  let file: CheckedFile
  let status: FileStatus
  /// Read by another, which cannot write through it.
  let unread: UnreadPart

  /// Takes over a descriptor that holds the lock.
  init(
    _ part: InterruptedPart, _ file: consuming Descriptor, _ status: FileStatus,
    in directory: borrowing Directory
  ) throws(SystemError) {
    let copy = try directory.open(part.name.text, [.noFollow, .nonBlocking])
    let found = try copy.status()
    // Somebody may have exchanged it meanwhile.
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

  /// The answer that takes no reading, by the record and the size alone.
  var known: PartReading? {
    if file.end == 0 { return .empty }
    guard unread.clue.format == .raw, let stream = unread.clue.stream else { return nil }
    let frames = FrameCount(file.end / Int64(stream.bytesPerFrame))
    return frames == 0 ? .empty : .plan(RepairPlan(stream, frames: frames, .raw))
  }
}
