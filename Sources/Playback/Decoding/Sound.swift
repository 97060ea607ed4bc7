package import Audio

/// Decoded frames in memory, at the rate and with the channels of an output.
///
/// SAFETY: the memory is written before the initializer returns and never again.
@safe
package final class Sound: @unchecked Sendable {
  /// What the frames carry: `int16` or `float32`.
  package let format: StreamFormat
  /// How many there are.
  package let length: FrameCount
  private let memory: UnsafeMutableRawPointer

  /// Keeps a copy of whole interleaved frames.
  package init(_ frames: RawSpan, format: StreamFormat) {
    let isKnown = format.sample == .int16 || format.sample == .float32
    precondition(isKnown, "a sound is kept as int16 or float32")
    let count = frames.byteCount / format.bytesPerFrame
    let isWhole = count * format.bytesPerFrame == frames.byteCount
    precondition(isWhole, "there is part of a frame")
    self.format = format
    length = FrameCount(count)
    unsafe memory = .allocate(byteCount: max(1, frames.byteCount), alignment: 16)
    let memory = unsafe self.memory
    unsafe frames.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe memory.copyMemory(from: start, byteCount: bytes.count)
    }
  }

  deinit { unsafe memory.deallocate() }

  /// The memory that it takes.
  package var bytes: Int { Int(length.value) * format.bytesPerFrame }

  /// How long it lasts.
  package var duration: Duration { length.duration(at: format.rate) }

  /// The frames, for a thread that must not count references.
  var frames: SoundFrames {
    unsafe SoundFrames(
      start: UnsafeRawPointer(memory), count: Int(length.value), channels: format.channels.value,
      isFloat: format.sample == .float32)
  }
}

/// The frames of a sound that somebody else keeps in memory.
@safe
struct SoundFrames: BitwiseCopyable {
  fileprivate let start: UnsafeRawPointer
  let count: Int
  let channels: Int
  let isFloat: Bool

  private var bytesPerFrame: Int { channels * (isFloat ? 4 : 2) }

  /// The bytes of some of the frames.
  @_lifetime(borrow self)
  func bytes(_ range: Range<Int>) -> RawSpan {
    let isInside = range.lowerBound >= 0 && range.upperBound <= count
    precondition(isInside, "the sound is shorter")
    let first = unsafe start + range.lowerBound * bytesPerFrame
    let span = unsafe RawSpan(_unsafeStart: first, byteCount: range.count * bytesPerFrame)
    return unsafe _overrideLifetime(span, borrowing: self)
  }
}

// SAFETY: the desk keeps the sound until the renderer has told that it is done with it.
extension SoundFrames: @unchecked Sendable {}
