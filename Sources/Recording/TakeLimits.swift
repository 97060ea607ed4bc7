package import Audio

/// The length and size at which a take ends, and the rule by which it continues in a new file.
package struct TakeLimits: Hashable, Sendable {
  /// Frames of the file, at the device's rate.
  package var frames: FrameCount?
  /// The size of one file in bytes.
  package var bytes: Int64?
  /// The rule for new files; nil where the take has a single file.
  package var split: TakeSplit?
  /// True where a file of the largest size is followed by another.
  package var splitsBySize: Bool { split != nil }

  /// No limit where none is given.
  package init(frames: FrameCount? = nil, bytes: Int64? = nil, split: TakeSplit? = nil) {
    self.frames = frames
    self.bytes = bytes
    self.split = split
  }

  /// Returns the number of the device's frames that still fit, or the end where none does.
  ///
  /// - Parameters:
  ///   - written: the device's frames that the file and the rate converter hold.
  ///   - produced: the file's frames.
  func room(
    after written: FrameCount, from input: SampleRate, produced: Int, bytes size: Int64,
    of stream: StreamFormat
  ) -> Room {
    var room = Int64(Int32.max)
    if let frames {
      room = min(room, (frames - written).value)
      if room <= 0 { return .end(.duration) }
    }
    if let bytes {
      // A compressed frame is at most about as large as a plain one.
      let fitting = min(bytes - size, Self.farAway) / Int64(stream.bytesPerFrame)
      let held = written.converted(from: input, to: stream.rate) - FrameCount(produced)
      let left = max(0, fitting - held.value)
      // Rounded down, because one frame of the device may be several of the file.
      room = min(room, left * Int64(input.hertz) / Int64(stream.rate.hertz))
      if room <= 0 { return .end(.size) }
    }
    return .frames(Int(room))
  }

  // Years of any stream, and still far from what 64 bits can multiply by a rate.
  private static let farAway: Int64 = 1 << 43

  enum Room {
    case frames(Int)
    case end(WriteEnd)
  }
}
