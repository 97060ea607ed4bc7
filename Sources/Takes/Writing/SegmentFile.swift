internal import Audio
internal import Files
internal import JSON
internal import Recording

/// One file of a take while it is written: the sound, where it lies, and who brings it to the disk.
struct SegmentFile: TakeFile, ~Copyable {
  typealias Failure = SoundFileError

  var writer: SoundFileWriter
  let place: PartFile
  let sync: DiskSync
  /// Taken where retention has to know the file again.
  let digest: WrittenDigest?

  var stream: StreamFormat { writer.settings.stream }
  var bytesWritten: Int64 { writer.bytesWritten }

  mutating func write(_ frames: RawSpan) throws(SoundFileError) {
    try writer.write(frames, of: writer.settings.stream.sample)
  }

  mutating func refresh() throws(SoundFileError) { try writer.updateHeader() }

  func note(_ event: PlacedEvent) { place.note(event.json.encoded()) }
}
