package import Audio
internal import Glibc

/// Decoded frames, at the rate and with the channels of an output: all of them in memory, or those
/// of a window.
///
/// SAFETY: the memory of a whole sound is written before the initializer returns and never again.
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
  /// The missing or surplus parts of the file, or nil if it is whole.
  package let flaw: SoundFlaw?

  /// Keeps the whole frames of a memory.
  ///
  /// - Parameter cause: the reason why the sound ends early, where it does.
  package init(
    _ frames: consuming SoundMemory, brokenOffBy cause: (any Error)? = nil, flaw: SoundFlaw? = nil
  ) {
    format = frames.format
    self.cause = cause
    self.flaw = flaw
    let length = frames.length
    unsafe store = .whole(frames.release(room: length), length)
  }

  /// Keeps a copy of whole interleaved frames.
  package convenience init(_ frames: RawSpan, format: StreamFormat) {
    let isWhole = frames.byteCount % format.bytesPerFrame == 0
    precondition(isWhole, "there is part of a frame")
    var memory = SoundMemory(format, room: FrameCount(frames.byteCount / format.bytesPerFrame))
    memory.append(frames)
    self.init(memory)
  }

  /// A long sound, of which a window is in memory; one voice plays it.
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

  /// The window of a long sound.
  package var window: SoundWindow? {
    if case .window(let window) = store { window } else { nil }
  }

  /// The reason why the sound ends early; nil where it does not, as far as it is decoded.
  package var fault: (any Error)? { cause ?? window?.fault }

  /// The number of frames; for a long sound an estimate until its end is decoded.
  package var length: FrameCount {
    switch store {
    case .whole(_, let length): length
    case .window(let window): window.length
    }
  }

  /// The bytes of memory that it takes.
  package var bytes: Int { window?.bytes ?? Int(length.value) * format.bytesPerFrame }

  /// The time that it plays for.
  package var duration: Duration { length.duration(at: format.rate) }

  /// The frames, for a thread that must not count references.
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

/// The frames of a sound that another object keeps in memory.
@safe
struct SoundFrames: BitwiseCopyable {
  fileprivate let start: UnsafeRawPointer
  fileprivate let whole: Int
  /// The window of a long sound, in which frames come and go; nil for a whole sound.
  let window: SoundWindowState?
  let channels: Int
  let isFloat: Bool

  private var bytesPerFrame: Int { channels * (isFloat ? 4 : 2) }

  /// The number of frames, which may be an estimate for a long sound.
  var count: Int { window?.length ?? whole }

  /// The number of frames from this one on that lie together in memory.
  func reach(from frame: Int) -> Int { window?.reach(from: frame) ?? whole - frame }

  /// The bytes of some frames that lie together in memory.
  @_lifetime(borrow self)
  func bytes(_ range: Range<Int>) -> RawSpan {
    let isInside = range.lowerBound >= 0 && range.count <= reach(from: range.lowerBound)
    precondition(isInside, "the sound is shorter")
    let offset = window?.offset(of: range.lowerBound) ?? range.lowerBound * bytesPerFrame
    let first = unsafe start + offset
    let span = unsafe RawSpan(_unsafeStart: first, byteCount: range.count * bytesPerFrame)
    return unsafe _overrideLifetime(span, borrowing: self)
  }
}

// SAFETY: the table keeps the sound until the renderer has reported that it is done with it.
extension SoundFrames: @unchecked Sendable {}
