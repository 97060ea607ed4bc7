package import Audio
internal import Glibc

/// Decoded frames with the rate and the channels of an output. Either all frames or a window of
/// them is in memory.
///
/// SAFETY: the memory of a whole sound is not written after the initializer has returned.
@safe
package final class Sound: @unchecked Sendable {
  @safe private enum Store {
    case whole(UnsafeMutableRawPointer, FrameCount)
    case window(SoundWindow)
  }

  /// The format of the frames: `int16` or `float32`.
  package let format: StreamFormat
  private let store: Store
  private let cause: (any Error)?
  /// The missing or surplus parts of the file, or nil if there are none.
  package let flaw: SoundFlaw?

  /// A whole sound with the frames in `frames`, without an incomplete frame at the end.
  ///
  /// - Parameter cause: the decoding error that ends the sound early, or nil if there was no error.
  package init(
    _ frames: consuming SoundMemory, brokenOffBy cause: (any Error)? = nil, flaw: SoundFlaw? = nil
  ) {
    format = frames.format
    self.cause = cause
    self.flaw = flaw
    let length = frames.length
    unsafe store = .whole(frames.release(room: length), length)
  }

  /// A long sound with a window of its frames in memory. Only one voice may play it, because the
  /// window follows the position of the voice.
  package init(_ window: SoundWindow, flaw: SoundFlaw? = nil) {
    format = window.format
    cause = nil
    self.flaw = flaw
    store = .window(window)
  }

  deinit {
    switch store {
    case .whole(let memory, _): unsafe free(memory)
    case .window(let window): window.abandon()
    }
  }

  /// The window of a long sound, or nil for a whole sound.
  package var window: SoundWindow? {
    if case .window(let window) = store { window } else { nil }
  }

  /// The decoding error that ends the sound early, or nil if there was no error so far.
  package var fault: (any Error)? { cause ?? window?.fault }

  /// The number of frames. For a long sound, it is an estimate until the end is decoded.
  package var length: FrameCount {
    switch store {
    case .whole(_, let length): length
    case .window(let window): window.length
    }
  }

  /// The size of the sound's memory in bytes.
  package var bytes: Int { window?.bytes ?? Int(length.value) * format.bytesPerFrame }

  /// The playing time of the sound.
  package var duration: Duration { length.duration(at: format.rate) }

  /// The frames as a value without references, for a thread that must not count references.
  var frames: SoundFrames {
    let (channels, isFloat) = (format.channels.value, format.sample == .float32)
    switch store {
    case .whole(let memory, let length):
      return unsafe SoundFrames(
        start: UnsafeRawPointer(memory), whole: Int(length.value), window: nil,
        channels: channels, isFloat: isFloat)
    case .window(let window):
      return unsafe SoundFrames(
        start: window.state.start, whole: 0, window: window.state,
        channels: channels, isFloat: isFloat)
    }
  }
}

extension StreamFormat {
  /// Returns whether an output can play frames in this format: whether both formats have the same
  /// rate and the same number of channels.
  package func suits(_ output: StreamFormat) -> Bool {
    rate == output.rate && channels == output.channels
  }
}

/// The frames of a sound. The `Sound` owns their memory.
@safe
struct SoundFrames: BitwiseCopyable {
  fileprivate let start: UnsafeRawPointer
  fileprivate let whole: Int
  /// The window of a long sound, or nil for a whole sound. The frames in a window change.
  let window: SoundWindowState?
  let channels: Int
  let isFloat: Bool

  private var bytesPerFrame: Int { channels * (isFloat ? 4 : 2) }

  /// The number of frames. For a long sound, it may be an estimate.
  var count: Int { window?.length ?? whole }

  /// Returns the number of contiguous frames in memory, beginning with this frame.
  func reach(from frame: Int) -> Int { window?.reach(from: frame) ?? whole - frame }

  /// Returns the bytes of contiguous frames.
  @_lifetime(borrow self)
  func bytes(_ range: Range<Int>) -> RawSpan {
    // `reach` has returned this range. It may return less now, because the writer of a window removes
    // frames from the range before it waits for the end of the read.
    let isInside = window?.isContiguous(range) ?? (range.upperBound <= whole)
    precondition(range.lowerBound >= 0 && isInside, "the sound is shorter")
    let offset = window?.offset(of: range.lowerBound) ?? range.lowerBound * bytesPerFrame
    let first = unsafe start + offset
    let span = unsafe RawSpan(_unsafeStart: first, byteCount: range.count * bytesPerFrame)
    return unsafe _overrideLifetime(span, borrowing: self)
  }
}

// SAFETY: the voice table keeps the sound until the rendering thread has reported that it no longer
// uses the sound.
extension SoundFrames: @unchecked Sendable {}
