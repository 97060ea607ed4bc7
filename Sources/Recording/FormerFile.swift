internal import Audio
internal import Linux

/// The file before the one that is written, until it has its last frame; often there is none.
struct FormerFile<File: TakeFile & ~Copyable>: ~Copyable {
  private var file: File?
  private let segment: TakeSegment?
  /// The frame of the take behind its last one.
  private let boundary: Int

  init() {
    file = nil
    segment = nil
    boundary = 0
  }

  init(_ file: consuming File, _ segment: TakeSegment, upTo boundary: Int) {
    self.file = .some(file)
    self.segment = segment
    self.boundary = boundary
  }

  var isThere: Bool { segment != nil }

  /// Writes the frames of `frames` that belong to it, the first being the take's `first`; returns
  /// the number of bytes.
  mutating func write(
    _ frames: RawSpan, from first: Int, _ size: Int
  ) throws(File.Failure) -> Int {
    let bytes = min(max(0, boundary - first) * size, frames.byteCount)
    if bytes > 0 { try file?.write(frames.extracting(..<bytes)) }
    return file == nil ? 0 : bytes
  }

  /// Gives the file away once the take has passed its last frame.
  mutating func take(after produced: Int) -> (file: Handoff<File>, segment: TakeSegment)? {
    guard produced >= boundary, let segment, let file = file.take() else { return nil }
    self = FormerFile()
    return (Handoff(file), segment)
  }
}
