internal import Audio

/// The end of a FLAC stream, which is the end of its last whole FLAC frame.
struct FLACTail: Hashable {
  /// The offset after the last whole frame in the stream.
  let end: Int64
  /// The number of audio frames up to `end`.
  let frames: Int64
  /// The number of audio frames that the header states but the file does not contain.
  let missing: Int64

  /// Makes a stream end after the last whole frame, because a decoder would report an incomplete
  /// frame as damage. Also sets the number of audio frames, because a decoder needs it to seek.
  func limit(_ stream: inout SoundStream, of file: CheckedFile) throws(SoundFileError) {
    stream.frames = FrameCount(frames)
    stream.missing = FrameCount(missing)
    stream.view = try FLACStreamInfo.view(stream.view, stating: frames, of: file)
  }

  /// Returns the last whole frame of a native FLAC stream. Returns nil if no whole frame is near
  /// the end of a long stream, or if the header states no number of frames.
  ///
  /// To avoid reading the whole file, libFLAC decodes a view that contains only the description of
  /// the stream and its last frames. If the very last frame is not in this view, garbage may follow
  /// the frames, so libFLAC decodes a larger view.
  static func find(in view: FileView, of file: CheckedFile) throws(SoundFileError) -> FLACTail? {
    var head = try view.bytes(at: 0, upTo: FLACStreamInfo.offset + FLACStreamInfo.count, of: file)
    guard let info = FLACStreamInfo(parsing: head), info.frames > 0 else { return nil }
    // Mark the block as the last metadata block.
    head[4] |= 0x80
    let first = Int64(head.count)
    var tail: FLACTail?
    for garbage in [0, mostBytesBehindFrames] where tail?.missing != 0 {
      let start = max(first, view.count - 2 * info.longestFrame - garbage)
      var part = FileView()
      part.append(head)
      part.append(view, start..<view.count)
      var frames = try FLACFrames(part, of: file)
      while let frame = try frames.next() {
        let count = frame.samples.upperBound
        guard frame.fits(info), count <= info.frames else { continue }
        tail = FLACTail(end: start - first + frame.end, frames: count, missing: info.frames - count)
      }
      if start == first {
        return tail ?? FLACTail(end: view.count, frames: 0, missing: info.frames)
      }
    }
    return tail
  }

  /// The maximum size of garbage after the last frame.
  private static let mostBytesBehindFrames: Int64 = 1 << 17
}
