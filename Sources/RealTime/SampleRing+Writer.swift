internal import Synchronization

extension SampleRing {
  /// The end that one thread writes to.
  ///
  /// The end of its life finishes the stream, by whatever way that thread ended.
  package struct Writer: ~Copyable, Sendable {
    private let memory: Memory
    private var written = 0
    /// The place of `written` in the memory; kept, because a division each time would cost more.
    private var position = 0
    /// The reader's count when it was last looked at: at most behind, so the room is never overrated.
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
    let ahead = min(limit, memory.frames - position)
    if memory.frames - (written - takenBefore) < ahead {
      // Acquires: pairs with the releasing store of `taken` in `Reader.release`, so the reader has
      // done with the bytes before they are written again.
      takenBefore = memory.taken.value.load(ordering: .acquiring)
    }
    return min(ahead, memory.frames - (written - takenBefore))
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
