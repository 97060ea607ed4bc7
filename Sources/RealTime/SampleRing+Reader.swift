internal import Synchronization

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
      // Acquires: pairs with the releasing store in the end of `Writer`. It comes before the look at
      // the fill: after it, every frame that was ever written is counted there.
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
    let first = (position + offset) % memory.frames
    let bytes = min(limit, min(memory.frames - first, fill - offset)) * memory.bytesPerFrame
    let start = unsafe memory.start + first * memory.bytesPerFrame
    return unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: bytes), mutating: &self)
  }

  @_noLocks @_noAllocation
  private mutating func contiguousFrames(upTo limit: Int) -> Int {
    let ahead = min(limit, memory.frames - position)
    if writtenBefore - taken < ahead {
      // Acquires: pairs with the releasing store of `written` in `Writer.commit`, so the bytes are
      // there when the count says so.
      writtenBefore = memory.written.value.load(ordering: .acquiring)
    }
    return min(ahead, writtenBefore - taken)
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
