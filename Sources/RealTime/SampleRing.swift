package import Audio
internal import Synchronization

/// Carries whole frames, as the device lays them out, from one thread to another without a lock.
///
/// The two ends count frames from the beginning of the stream and publish their own count only, so
/// a count never goes back and the fill is always written − taken. Waking the other thread is the
/// owner's business.
package struct SampleRing: ~Copyable, Sendable {
  private let memory: Memory
  private var hasWriter = false
  private var hasReader = false

  /// A ring that holds `capacity` frames of `bytesPerFrame` bytes, all of its pages touched.
  package init(capacity: FrameCount, bytesPerFrame: Int) {
    precondition(capacity > 0 && bytesPerFrame > 0, "a ring holds at least one frame")
    memory = Memory(frames: Int(capacity.value), bytesPerFrame: bytesPerFrame)
  }

  /// The frames that fit.
  package var capacity: FrameCount { FrameCount(memory.frames) }

  /// The end that writes; there is only one, so a second call is an error of the program.
  package mutating func writer() -> Writer {
    precondition(!hasWriter, "a ring has one writer")
    hasWriter = true
    return Writer(memory)
  }

  /// The end that reads; there is only one, so a second call is an error of the program.
  package mutating func reader() -> Reader {
    precondition(!hasReader, "a ring has one reader")
    hasReader = true
    return Reader(memory)
  }
}

extension SampleRing {
  /// The state that both ends share; it lives as long as either.
  ///
  /// SAFETY: `start` never changes, and the two counts divide the bytes behind it: those from
  /// taken to written belong to the reader, all others to the writer.
  @safe
  final class Memory: @unchecked Sendable {
    let frames: Int
    let bytesPerFrame: Int
    let written = Count()
    let taken = Count()
    let isFinished = Atomic(false)
    let start: UnsafeMutableRawPointer

    init(frames: Int, bytesPerFrame: Int) {
      self.frames = frames
      self.bytesPerFrame = bytesPerFrame
      let size = frames * bytesPerFrame
      unsafe start = .allocate(byteCount: size, alignment: MemoryLayout<Count>.size)
      unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    deinit { unsafe start.deallocate() }
  }

  /// A number of frames on cache lines of its own, or the two ends would slow each other down.
  ///
  /// 128 bytes, because processors fetch lines of 64 in pairs.
  struct Count: ~Copyable {
    let value = Atomic(0)
    private let padding = InlineArray<15, Int>(repeating: 0)
  }
}
