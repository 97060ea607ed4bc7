internal import Audio
internal import Control
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

  /// What the record says, or else the first bytes, or the name.
  func format(_ head: [UInt8]) -> FileFormat? {
    if let format = record?.output?.format { return format }
    switch head.prefix(4) {
    case "RIFF"[...], "RF64"[...]: return .wav
    case "fLaC"[...]: return .flac
    case "OggS"[...]: return .opus
    default: return TakeName.format(of: target)
    }
  }
}

private func ~= (pattern: Substring, bytes: ArraySlice<UInt8>) -> Bool {
  pattern.utf8.elementsEqual(bytes)
}
