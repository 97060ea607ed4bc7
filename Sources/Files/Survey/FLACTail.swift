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
    stream.view = try FLACStreamInfo.view(stream.view, stating: frames, of: file)
  }

  /// Returns the last whole frame of a native FLAC stream, or nil if there is none near the end of
  /// a long stream.
  ///
  /// It only reads the end: a view that joins the description of the stream and its last frames. It
  /// reads farther back only if frames are missing there.
  static func find(in view: FileView, of file: CheckedFile) throws(SoundFileError) -> FLACTail? {
    var head = try view.bytes(at: 0, upTo: FLACStreamInfo.offset + FLACStreamInfo.count, of: file)
    guard let info = FLACStreamInfo(parsing: head), info.frames > 0 else { return nil }
    // No other metadata follows.
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

  /// The maximum size of garbage at the end that is searched for the last frame.
  private static let mostBytesBehindFrames: Int64 = 1 << 17
}
