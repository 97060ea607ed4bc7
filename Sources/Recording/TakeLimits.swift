package import Audio

/// When a take is as long or as large as asked.
package struct TakeLimits: Hashable, Sendable {
  /// Frames of the file, at the device's rate.
  package var frames: FrameCount?
  package var bytes: Int64?

  package init(frames: FrameCount? = nil, bytes: Int64? = nil) {
    self.frames = frames
    self.bytes = bytes
  }

  /// Lowers `count` to the frames that still fit; the end where none does.
  func end(
    _ written: FrameCount, bytes size: Int64, _ count: inout Int, of stream: StreamFormat
  ) -> WriteEnd? {
    if let frames {
      if written >= frames { return .duration }
      count = min(count, Int((frames - written).value))
    }
    if let bytes {
      // A compressed frame is at most about as large as a plain one.
      let fitting = (bytes - size) / Int64(stream.bytesPerFrame)
      if fitting <= 0 { return .size }
      count = min(count, Int(clamping: fitting))
    }
    return nil
  }
}
