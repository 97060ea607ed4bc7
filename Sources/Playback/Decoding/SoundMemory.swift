package import Audio
internal import Glibc
internal import RealTime

/// The frames of a sound that come in pieces, in the memory from which voices will read them.
///
/// SAFETY: it alone has the memory until `release`; it is written up to `count` bytes.
@safe
package struct SoundMemory: ~Copyable, @unchecked Sendable {
  /// The format of the frames: `int16` or `float32`.
  package let format: StreamFormat
  /// The bytes that came.
  package private(set) var count = 0
  private var room: Int
  private var start: UnsafeMutableRawPointer

  /// Memory with room for so many frames; it grows where more come.
  package init(_ format: StreamFormat, room: FrameCount) {
    let isKnown = format.sample == .int16 || format.sample == .float32
    precondition(isKnown, "a sound is kept as int16 or float32")
    self.format = format
    self.room = max(1, Int(room.value) * format.bytesPerFrame)
    unsafe start = Self.existing(malloc(self.room))
  }

  deinit { unsafe free(start) }

  /// The whole frames that came.
  package var length: FrameCount { FrameCount(count / format.bytesPerFrame) }

  /// Adds bytes in its format, which may end within a frame.
  package mutating func append(_ bytes: RawSpan) {
    grow(to: count + bytes.byteCount)
    let target = unsafe start + count
    unsafe bytes.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe target.copyMemory(from: source, byteCount: bytes.count)
    }
    count += bytes.byteCount
  }

  /// Adds samples, each of which its format holds exactly.
  package mutating func append(_ samples: Span<Float>) {
    let size = samples.count * format.sample.bytesPerSample
    grow(to: count + size)
    var target = unsafe MutableRawSpan(_unsafeStart: start + count, byteCount: size)
    SampleConversion(from: .float32, to: format.sample).convert(unsafe samples.bytes, into: &target)
    count += size
  }

  /// Makes room for so many bytes. Large memory grows without a copy, and is resident only where it
  /// was written.
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

  /// Hands the memory over, with room for so many frames; the new owner frees it.
  consuming func release(room: FrameCount) -> UnsafeMutableRawPointer {
    resize(to: max(1, Int(room.value) * format.bytesPerFrame))
    let start = unsafe start
    discard self
    return unsafe start
  }
}
