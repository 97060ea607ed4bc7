internal import Audio

/// The end of a FLAC stream, by its last whole frame.
struct FLACTail: Hashable {
  /// The offset after the last whole frame in the stream.
  let end: Int64
  /// The number of frames up to there.
  let frames: Int64
  /// The number of frames that the header states beyond those.
  let missing: Int64

  /// Makes the stream end there. A decoder would report a torn frame as damage, and needs the
  /// number of frames to seek.
  func limit(_ stream: inout SoundStream, of file: CheckedFile) throws(SoundFileError) {
    stream.frames = FrameCount(frames)
    stream.missing = FrameCount(missing)
    let offset = Int64(FLACStreamInfo.offset + 13)
    let head = try file.bytes(of: stream.view, at: offset, upTo: 1)
    guard let first = head.first else { return }
    // The number has 36 bits. Its highest four bits share a byte with the bit depth.
    let bytes = (0..<5).map { UInt8(truncatingIfNeeded: frames >> (8 * (4 - Int64($0)))) }
    stream.view = stream.view.replacing(
      at: offset, with: [first & 0xF0 | bytes[0] & 0x0F] + bytes.dropFirst())
  }
}

extension CheckedFile {
  /// Returns the last whole frame of a native FLAC stream, or nil if there is none near the end of
  /// a long stream.
  ///
  /// It only reads the end. A FLAC file does not state the length of its frames, but each frame has
  /// a checksum and the number of its first sample.
  func flacExtent(of view: FileView) throws(SoundFileError) -> FLACTail? {
    let head = try bytes(of: view, at: 0, upTo: FLACStreamInfo.offset + FLACStreamInfo.count)
    guard let info = FLACStreamInfo(parsing: head), info.frames > 0 else { return nil }
    let window = min(view.count, 2 * info.longestFrame + Self.mostBytesBehindFrames)
    let start = max(Int64(head.count), view.count - window)
    let bytes = try bytes(of: view, at: start, upTo: Int(view.count - start))
    for index in bytes.indices.reversed() where bytes[index] == 0xFF {
      let rest = bytes.span.extracting(index...)
      guard let frame = try? FLACFrame(parsing: rest, of: info) else { continue }
      let frames = frame.header.start(in: info) + Int64(frame.header.blockSize)
      guard frames <= info.frames else { continue }
      return FLACTail(
        end: start + Int64(index + frame.byteCount), frames: frames, missing: info.frames - frames)
    }
    if start > Int64(head.count) { return nil }
    return FLACTail(end: view.count, frames: 0, missing: info.frames)
  }

  /// The maximum size of garbage at the end that is searched for the last frame.
  private static let mostBytesBehindFrames: Int64 = 1 << 17

  /// Reads at most `count` bytes of a view from `offset` on.
  func bytes(
    of view: FileView, at offset: Int64, upTo count: Int
  ) throws(SoundFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, Int(view.count - offset))))
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let read = try view.read(into: &raw, at: offset, of: self)
    return Array(bytes.prefix(read))
  }
}
