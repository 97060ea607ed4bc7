package import Audio
internal import Glibc
internal import RealTime

/// Memory for the frames of a sound, which arrive in pieces. Voices read the memory later.
///
/// SAFETY: only this value accesses the memory until `release`. The first `count` bytes are
/// initialized.
@safe
package struct SoundMemory: ~Copyable, @unchecked Sendable {
  /// The format of the frames: `int16` or `float32`.
  package let format: StreamFormat
  /// The number of bytes received so far.
  package private(set) var count = 0
  private var room: Int
  private var start: UnsafeMutableRawPointer

  /// Memory with room for this number of frames. It grows if more frames arrive.
  package init(_ format: StreamFormat, room: FrameCount) {
    let isKnown = format.sample == .int16 || format.sample == .float32
    precondition(isKnown, "a sound is kept as int16 or float32")
    self.format = format
    self.room = max(1, Int(room.value) * format.bytesPerFrame)
    unsafe start = Self.existing(malloc(self.room))
  }

  deinit { unsafe free(start) }

  /// The number of whole frames received so far.
  package var length: FrameCount { FrameCount(count / format.bytesPerFrame) }

  /// Adds bytes of frames. The last frame may be incomplete; the next call then adds the rest of
  /// it.
  package mutating func append(_ bytes: RawSpan) {
    grow(to: count + bytes.byteCount)
    let target = unsafe start + count
    unsafe bytes.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe target.copyMemory(from: source, byteCount: bytes.count)
    }
    count += bytes.byteCount
  }

  /// Adds samples. The format must be able to represent each sample exactly.
  package mutating func append(_ samples: Span<Float>) {
    let size = samples.count * format.sample.bytesPerSample
    grow(to: count + size)
    var target = unsafe MutableRawSpan(_unsafeStart: start + count, byteCount: size)
    SampleConversion(from: .float32, to: format.sample).convert(unsafe samples.bytes, into: &target)
    count += size
  }

  /// Makes room for `size` bytes in total. Doubling the size costs little: the C library enlarges
  /// large blocks without a copy, and only the written part of the memory is resident.
  private mutating func grow(to size: Int) {
    if size <= room { return }
    resize(to: max(size, 2 * room))
  }

  private mutating func resize(to size: Int) {
    unsafe start = Self.existing(realloc(start, size))
    room = size
  }

  private static func existing(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let memory = unsafe memory else { fatalError("no memory for a sound") }
    return unsafe memory
  }

  /// Resizes the memory to `room` frames, and passes it to the caller, who must free it.
  consuming func release(room: FrameCount) -> UnsafeMutableRawPointer {
    resize(to: max(1, Int(room.value) * format.bytesPerFrame))
    let start = unsafe start
    discard self
    return unsafe start
  }
}
