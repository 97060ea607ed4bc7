package import Audio
internal import Synchronization

/// Passes whole frames in the device's layout from one thread to another without a lock.
///
/// Each of the two ends counts its frames from the beginning of the stream, and publishes this
/// count. So a count never decreases, and the number of frames in the ring is always written −
/// taken. The ring wakes no thread: the user of the ring must signal the thread at the other end.
///
/// If the ring is empty, the writer starts again at the beginning of the memory. So as long as the
/// reader keeps up, the ring uses the same few pages, and the other pages take no memory.
package struct SampleRing: ~Copyable, Sendable {
  private let memory: Memory
  private var hasWriter = false
  private var hasReader = false

  /// A ring for `capacity` frames of `bytesPerFrame` bytes. The initializer writes to the pages
  /// that are used while the reader keeps up, so that the first frames cause no page faults.
  package init(capacity: FrameCount, bytesPerFrame: Int) {
    precondition(capacity > 0 && bytesPerFrame > 0, "a ring holds at least one frame")
    memory = Memory(frames: Int(capacity.value), bytesPerFrame: bytesPerFrame)
  }

  /// Returns the end that writes. There is only one, so a second call is a programming error.
  package mutating func writer() -> Writer {
    precondition(!hasWriter, "a ring has one writer")
    hasWriter = true
    return Writer(memory)
  }

  /// Returns the end that reads. There is only one, so a second call is a programming error.
  package mutating func reader() -> Reader {
    precondition(!hasReader, "a ring has one reader")
    hasReader = true
    return Reader(memory)
  }
}

extension SampleRing {
  /// The state that both ends share. It exists as long as one of the ends.
  ///
  /// SAFETY: `start` never changes, and the two counts divide the memory between the ends. The
  /// bytes from taken to written belong to the reader, all other bytes to the writer. `origin`
  /// changes only while no byte belongs to the reader.
  @safe
  final class Memory: @unchecked Sendable {
    let frames: Int
    let bytesPerFrame: Int
    let written = Count()
    let taken = Count()
    /// The stream position at which the writer last returned to the start of the memory because the
    /// ring was empty. The writer stores this position before it publishes a higher value of
    /// `written`.
    let origin = Atomic(0)
    let start: UnsafeMutableRawPointer

    init(frames: Int, bytesPerFrame: Int) {
      self.frames = frames
      self.bytesPerFrame = bytesPerFrame
      let size = frames * bytesPerFrame
      unsafe start = .allocate(byteCount: size, alignment: MemoryLayout<Count>.size)
      // A 24th is half a second in the ring of a take, which has room for twelve seconds. While no
      // client watches the take, the ring contains at most half a second.
      let used = min(size, max(Self.leastTouched, size / 24))
      unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: used)
    }

    private static var leastTouched: Int { 1 << 16 }

    deinit { unsafe start.deallocate() }
  }

  /// A number of frames on its own cache lines. If the two counts shared a line, the two ends would
  /// slow each other down.
  ///
  /// The size is 128 bytes, because processors fetch lines of 64 bytes in pairs.
  struct Count: ~Copyable {
    let value = Atomic(0)
    private let padding = InlineArray<15, Int>(repeating: 0)
  }
}

extension SampleRing {
  /// The end that one thread writes to.
  package struct Writer: ~Copyable, Sendable {
    private let memory: Memory
    private var written = 0
    /// The position of `written` in the memory. It is stored, because computing it requires a
    /// division.
    private var position = 0
    /// The reader's count at the last check. It can only be too small, so the free space is never
    /// overestimated.
    private var takenBefore = 0

    init(_ memory: Memory) { self.memory = memory }
  }
}

extension SampleRing.Writer {
  /// The number of frames that fit now.
  package var free: Int {
    @_noLocks @_noAllocation get {
      // Acquires: pairs with the releasing store of `taken` in `Reader.release`.
      memory.frames - (written - memory.taken.value.load(ordering: .acquiring))
    }
  }

  /// The number of frames that wait for the reader.
  package var fill: Int {
    @_noLocks @_noAllocation get { memory.frames - free }
  }

  /// True once the reader has taken every frame.
  package var isEmpty: Bool {
    @_noLocks @_noAllocation get { fill == 0 }
  }

  /// Returns the free space up to the end of the memory, for at most `limit` frames. The span is
  /// empty if the ring is full.
  ///
  /// After `commit`, there may be more free space at the beginning of the memory.
  @_noLocks @_noAllocation
  @_lifetime(&self)
  package mutating func room(upTo limit: Int = .max) -> MutableRawSpan {
    let bytes = contiguousRoom(upTo: limit) * memory.bytesPerFrame
    let start = unsafe memory.start + position * memory.bytesPerFrame
    return unsafe _overrideLifetime(
      MutableRawSpan(_unsafeStart: start, byteCount: bytes), mutating: &self)
  }

  @_noLocks @_noAllocation
  private mutating func contiguousRoom(upTo limit: Int) -> Int {
    if position > 0 { restart() }
    let ahead = min(limit, memory.frames - position)
    if memory.frames - (written - takenBefore) < ahead {
      // Acquires: pairs with the releasing store of `taken` in `Reader.release`, so the reader has
      // finished with the bytes before they are written again.
      takenBefore = memory.taken.value.load(ordering: .acquiring)
    }
    return min(ahead, memory.frames - (written - takenBefore))
  }

  /// Returns to the start of the memory if the ring is empty.
  @_noLocks @_noAllocation
  private mutating func restart() {
    // Acquires: pairs with the releasing store of `taken` in `Reader.release`.
    takenBefore = memory.taken.value.load(ordering: .acquiring)
    guard takenBefore == written else { return }
    position = 0
    // Relaxed: the next releasing store of `written` publishes the origin.
    memory.origin.store(written, ordering: .relaxed)
  }

  /// Passes the first `frames` frames of the free space to the reader.
  @_noLocks @_noAllocation
  package mutating func commit(_ frames: Int) {
    precondition(
      frames >= 0 && frames <= memory.frames - position
        && frames <= memory.frames - (written - takenBefore), "more than the room was committed")
    written += frames
    position += frames
    if position == memory.frames { position = 0 }
    // Releases: pairs with the acquiring load of `written` in `Reader`, so the bytes are visible
    // before the count.
    memory.written.value.store(written, ordering: .releasing)
  }
}

extension SampleRing {
  /// The end that one thread reads from.
  package struct Reader: ~Copyable, Sendable {
    private let memory: Memory
    private var taken = 0
    /// The position of `taken` in the memory.
    private var position = 0
    /// The writer's count at the last check. It can only be too small, so no frame is read before
    /// it is written.
    private var writtenBefore = 0

    init(_ memory: Memory) { self.memory = memory }
  }
}

extension SampleRing.Reader {
  /// The number of waiting frames.
  package var fill: Int {
    @_noLocks @_noAllocation get {
      // Acquires: pairs with the releasing store of `written` in `Writer.commit`.
      memory.written.value.load(ordering: .acquiring) - taken
    }
  }

  /// Returns the waiting frames up to the end of the memory, at most `limit`. The span is empty if
  /// no frames wait.
  ///
  /// After `release`, there may be more frames at the beginning of the memory. Do not use the span
  /// after `release`: pass it directly to a function, or limit it to a `do` scope.
  @_noLocks @_noAllocation
  @_lifetime(&self)
  package mutating func frames(upTo limit: Int = .max) -> RawSpan {
    let bytes = contiguousFrames(upTo: limit) * memory.bytesPerFrame
    let start = unsafe memory.start + position * memory.bytesPerFrame
    return unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: bytes), mutating: &self)
  }

  /// Returns the waiting frames after the first `offset` frames, up to the end of the memory, and
  /// at most `limit` frames. At least `offset` frames must wait. All frames stay in the ring.
  @_noLocks @_noAllocation
  @_lifetime(&self)
  package mutating func frames(after offset: Int, upTo limit: Int = .max) -> RawSpan {
    precondition(offset >= 0 && offset <= fill, "nothing waits there")
    follow()
    let first = (position + offset) % memory.frames
    let bytes = min(limit, min(memory.frames - first, fill - offset)) * memory.bytesPerFrame
    let start = unsafe memory.start + first * memory.bytesPerFrame
    return unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: bytes), mutating: &self)
  }

  @_noLocks @_noAllocation
  private mutating func contiguousFrames(upTo limit: Int) -> Int {
    if writtenBefore - taken < min(limit, memory.frames - position) {
      // Acquires: pairs with the releasing store of `written` in `Writer.commit`, so the bytes are
      // visible with the count.
      writtenBefore = memory.written.value.load(ordering: .acquiring)
      follow()
    }
    return min(memory.frames - position, min(limit, writtenBefore - taken))
  }

  /// Follows a writer that returned to the start of the memory when no frames were left to read.
  @_noLocks @_noAllocation
  private mutating func follow() {
    // Relaxed: the previous acquiring load of `written` has made the origin visible.
    let origin = memory.origin.load(ordering: .relaxed)
    if origin == taken { position = 0 }
  }

  /// Overwrites the range `bytes` of each of the first `count` waiting frames with zeros. All these
  /// frames must be before the end of the memory, like the frames that `frames` returns.
  @_noLocks @_noAllocation
  package mutating func clear(_ bytes: Range<Int>, of count: Int) {
    precondition(
      bytes.lowerBound >= 0 && bytes.upperBound <= memory.bytesPerFrame
        && count <= contiguousFrames(upTo: count), "only waiting frames can be overwritten")
    var target = unsafe memory.start + position * memory.bytesPerFrame + bytes.lowerBound
    for _ in 0..<count {
      unsafe target.initializeMemory(as: UInt8.self, repeating: 0, count: bytes.count)
      unsafe target += memory.bytesPerFrame
    }
  }

  /// Gives the space of the first `frames` frames back to the writer.
  @_noLocks @_noAllocation
  package mutating func release(_ frames: Int) {
    precondition(
      frames >= 0 && frames <= memory.frames - position && frames <= writtenBefore - taken,
      "more was released than read")
    taken += frames
    position += frames
    if position == memory.frames { position = 0 }
    // Releases: pairs with the acquiring load of `taken` in `Writer`, so the bytes have been read
    // before they are written again.
    memory.taken.value.store(taken, ordering: .releasing)
  }
}
