package import Audio
internal import Synchronization

/// Carries whole frames, as the device lays them out, from one thread to another without a lock.
///
/// The two ends count frames from the beginning of the stream and publish their own count only, so
/// a count never goes back and the fill is always written − taken. Waking the other thread is the
/// owner's business.
///
/// A writer that finds the ring empty begins again at the start of the memory: as long as the
/// reader keeps up, the same few pages are used, and the others take no memory.
package struct SampleRing: ~Copyable, Sendable {
  private let memory: Memory
  private var hasWriter = false
  private var hasReader = false

  /// A ring that holds `capacity` frames of `bytesPerFrame` bytes; the pages that are used while the
  /// reader keeps up are touched.
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
  /// taken to written belong to the reader, all others to the writer. `origin` changes only while
  /// no byte belongs to the reader.
  @safe
  final class Memory: @unchecked Sendable {
    let frames: Int
    let bytesPerFrame: Int
    let written = Count()
    let taken = Count()
    /// The count of the frame that lies at the start of the memory. The writer sets it before it
    /// publishes the first count after it.
    let origin = Atomic(0)
    let isFinished = Atomic(false)
    let start: UnsafeMutableRawPointer

    init(frames: Int, bytesPerFrame: Int) {
      self.frames = frames
      self.bytesPerFrame = bytesPerFrame
      let size = frames * bytesPerFrame
      unsafe start = .allocate(byteCount: size, alignment: MemoryLayout<Count>.size)
      // Half a second of a take's twelve: as much as gathers while nobody looks on.
      let used = min(size, max(Self.leastTouched, size / 24))
      unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: used)
    }

    private static var leastTouched: Int { 1 << 16 }

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

extension SampleRing {
  /// The end that one thread writes to.
  ///
  /// The end of its life finishes the stream, by whatever way that thread ended.
  package struct Writer: ~Copyable, Sendable {
    private let memory: Memory
    private var written = 0
    /// The place of `written` in the memory; kept, because a division each time would cost more.
    private var position = 0
    /// The reader's count when it was last looked at: at most behind, so the room is never
    /// overrated.
    private var takenBefore = 0

    init(_ memory: Memory) { self.memory = memory }

    // Releases: pairs with the acquiring load of `isFinished` in `Reader.isAtEnd`.
    deinit { memory.isFinished.store(true, ordering: .releasing) }

    /// Ends the stream: the reader gets what was written, and then the end.
    package consuming func finish() {}
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

  /// True once the reader has taken every frame.
  package var isEmpty: Bool {
    @_noLocks @_noAllocation get { free == memory.frames }
  }

  /// The room up to the end of the memory, for at most `limit` frames; empty when the ring is full.
  ///
  /// After `commit` there may be more room, at the beginning of the memory.
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
      // done with the bytes before they are written again.
      takenBefore = memory.taken.value.load(ordering: .acquiring)
    }
    return min(ahead, memory.frames - (written - takenBefore))
  }

  /// Goes back to the start of the memory if the ring is empty.
  @_noLocks @_noAllocation
  private mutating func restart() {
    // Acquires: pairs with the releasing store of `taken` in `Reader.release`.
    takenBefore = memory.taken.value.load(ordering: .acquiring)
    guard takenBefore == written else { return }
    position = 0
    // Relaxed: the next releasing store of `written` publishes it.
    memory.origin.store(written, ordering: .relaxed)
  }

  /// Hands the first `frames` of the room to the reader.
  @_noLocks @_noAllocation
  package mutating func commit(_ frames: Int) {
    precondition(
      frames >= 0 && frames <= memory.frames - position
        && frames <= memory.frames - (written - takenBefore), "more than the room was committed")
    written += frames
    position += frames
    if position == memory.frames { position = 0 }
    // Releases: pairs with the acquiring load of `written` in `Reader`, so the bytes are there
    // before the count says so.
    memory.written.value.store(written, ordering: .releasing)
  }

  /// Copies whole frames and returns how many fitted; the rest is the caller's to count as lost.
  @_noLocks @_noAllocation
  package mutating func write(_ frames: RawSpan) -> Int {
    let size = memory.bytesPerFrame
    let total = frames.byteCount / size
    var done = 0
    while done < total {
      let fitting = contiguousRoom(upTo: total - done)
      if fitting == 0 { break }
      let start = unsafe memory.start + position * size
      var room = unsafe MutableRawSpan(_unsafeStart: start, byteCount: fitting * size)
      room.copy(fitting * size, from: frames, at: done * size, to: 0)
      commit(fitting)
      done += fitting
    }
    return done
  }
}

extension SampleRing {
  /// The end that one thread reads from.
  package struct Reader: ~Copyable, Sendable {
    private let memory: Memory
    private var taken = 0
    /// The place of `taken` in the memory.
    private var position = 0
    /// The writer's count when it was last looked at: at most behind.
    private var writtenBefore = 0

    init(_ memory: Memory) { self.memory = memory }
  }
}

extension SampleRing.Reader {
  /// The number of frames that wait to be read.
  package var fill: Int {
    @_noLocks @_noAllocation get {
      // Acquires: pairs with the releasing store of `written` in `Writer.commit`.
      memory.written.value.load(ordering: .acquiring) - taken
    }
  }

  /// True once the writer has finished and every frame was read.
  package var isAtEnd: Bool {
    @_noLocks @_noAllocation get {
      // Acquires: pairs with the releasing store in the end of `Writer`. It comes before the look
      // at the fill: after it, every frame that was ever written is counted there.
      memory.isFinished.load(ordering: .acquiring) && fill == 0
    }
  }

  /// The frames up to the end of the memory, at most `limit`; empty when none wait.
  ///
  /// After `release` there may be more, at the beginning of the memory. The span must be gone by
  /// then: pass it straight on, or keep it in a `do` scope.
  @_noLocks @_noAllocation
  @_lifetime(&self)
  package mutating func frames(upTo limit: Int = .max) -> RawSpan {
    let bytes = contiguousFrames(upTo: limit) * memory.bytesPerFrame
    let start = unsafe memory.start + position * memory.bytesPerFrame
    return unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: bytes), mutating: &self)
  }

  /// The frames after the first `offset`, which have to be there and stay in the ring.
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
      // there when the count says so.
      writtenBefore = memory.written.value.load(ordering: .acquiring)
      follow()
    }
    return min(memory.frames - position, min(limit, writtenBefore - taken))
  }

  /// Follows a writer that went back to the start of the memory when nothing was left to read.
  @_noLocks @_noAllocation
  private mutating func follow() {
    // Relaxed: the acquiring load of `written` before has made it visible.
    let origin = memory.origin.load(ordering: .relaxed)
    if origin == taken { position = 0 }
  }

  /// Gives the room of the first `frames` back to the writer.
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
