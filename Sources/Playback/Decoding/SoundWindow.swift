package import Audio
internal import Glibc
package import Linux
internal import Synchronization

/// The part of a long sound that is in memory: its beginning, and the frames around the playback
/// position.
///
/// One thread fills the window while one voice reads from it. The beginning of the sound stays in
/// memory, so that a rewind, a replay or a loop can return to it without a delay. The voice marks
/// the start and the end of each read, and the filling thread removes frames only while no read is
/// in progress. The voice never waits for the filling thread.
@safe
package final class SoundWindow: Sendable {
  /// The next task of the filling thread.
  package enum Need: Hashable, Sendable {
    /// To wait until the voice has advanced.
    case nothing
    /// To add at most this number of frames at the end of the window.
    case more(Int)
    /// To fill the window again, from this frame on.
    case jump(to: FrameCount)
  }

  /// The format of the frames.
  package let format: StreamFormat
  let state: SoundWindowState
  private let event: Event
  private let cause = Mutex<(any Error)?>(nil)
  /// The function that starts the filling thread again, or nil while the thread runs.
  private let resumption = Mutex<(@Sendable () -> Void)?>(nil)

  /// A window of a sound with about `length` frames.
  ///
  /// - Parameters:
  ///   - beginning: the first frames of the sound. The last of these frames must be complete.
  ///   - capacity: the number of frames in memory in addition to the beginning.
  package init(
    beginning: consuming SoundMemory, capacity: FrameCount, length: FrameCount
  ) throws(SystemError) {
    event = try Event()
    format = beginning.format
    state = SoundWindowState(beginning, capacity: Int(capacity.value), length: Int(length.value))
  }

  deinit { state.deallocate() }

  /// The size of the window's memory in bytes.
  package var bytes: Int { (state.beginning + state.capacity) * format.bytesPerFrame }

  /// The number of frames of the sound. It is an estimate until the last frame is decoded.
  package var length: FrameCount { FrameCount(state.length) }

  /// The decoding error that ends the sound early, or nil if there was no error so far.
  package var fault: (any Error)? { cause.withLock { $0 } }

  /// True if no voice can play the sound any more.
  package var isAbandoned: Bool { state.isAbandoned }

  func abandon() {
    state.isAbandoned = true
    event.signal()
    _ = takeResumption()
  }

  /// Wakes the filling thread, or starts it again if it has ended because the voice needed no
  /// frames. Call this function after each command to the voice.
  package func wake() {
    event.signal()
    takeResumption()?()
  }

  /// Stores `resume`, which starts the filling thread again. The next `wake` calls `resume`. Call
  /// this function at the end of the filling thread.
  package func rest(_ resume: @escaping @Sendable () -> Void) {
    resumption.withLock { $0 = resume }
    if isAbandoned {
      // Release the closure now, because no `wake` follows and the closure may refer to this
      // object.
      _ = takeResumption()
    } else if event.clear() {
      takeResumption()?()
    }
  }

  private func takeResumption() -> (@Sendable () -> Void)? { resumption.withLock { $0.take() } }

  /// Waits for a call of `wake`. Returns false if there was no call within `limit`.
  package func wait(upTo limit: Duration) -> Bool {
    _ = try? event.descriptor.wait(upTo: limit)
    return event.clear()
  }
}

extension SoundWindow {
  /// The frame that the voice requested last.
  package var wanted: FrameCount { FrameCount(state.wanted) }

  /// The number of frames in the window after the position of the voice.
  package var ahead: FrameCount {
    FrameCount(max(0, state.end - max(state.wanted, state.beginning)))
  }

  /// The position after the last frame in the window.
  package var end: FrameCount { FrameCount(state.end) }

  /// The next task. Frames before the position of the voice occupy up to an eighth of the window,
  /// because a fade-out may still read these frames.
  package var need: Need {
    let position = max(state.wanted, state.beginning)
    let (first, end) = (state.first, state.end)
    guard position >= first && position <= end else { return .jump(to: FrameCount(position)) }
    if state.isComplete && end >= state.length { return .nothing }
    let kept = min(end - max(first, position - state.capacity / 8), state.capacity)
    let room = state.capacity - kept
    return room >= state.capacity / 4 ? .more(room) : .nothing
  }

  /// Adds whole frames after the frames in the window. The oldest frames are removed to make room.
  package func fill(_ frames: RawSpan) { state.fill(frames) }

  /// Removes all frames except the beginning. The window is then filled from `frame` on.
  package func move(to frame: FrameCount) { state.move(to: Int(frame.value)) }

  /// Marks the window's end as the end of the sound. `fault` is the reason if the sound ends early.
  package func complete(because fault: (any Error)? = nil) {
    cause.withLock { $0 = fault }
    state.complete()
  }
}

/// The memory of a window, and the numbers that its two threads share. This value has no
/// references, so a thread that must not count references can use it.
///
/// SAFETY: the reader reads the frames from `first` to `end` only between `enter` and `leave`.
/// Before the writer overwrites frames, it removes them from this range, then waits until no read
/// is in progress. The accesses to `first`, `end` and `isBeingRead` are sequentially consistent,
/// except in `leave`. So either the reader sees the range without the removed frames, or the writer
/// sees that a read is in progress.
@safe
struct SoundWindowState: BitwiseCopyable, @unchecked Sendable {
  private struct Shared: ~Copyable {
    let wanted = Atomic(0)
    let first = Atomic(0)
    let end = Atomic(0)
    let length = Atomic(0)
    let isComplete = Atomic(false)
    let isAbandoned = Atomic(false)
    let isBeingRead = Atomic(false)
  }

  let beginning: Int
  let capacity: Int
  private let bytesPerFrame: Int
  private let memory: UnsafeMutableRawPointer
  private let shared: UnsafeMutablePointer<Shared>

  init(_ frames: consuming SoundMemory, capacity: Int, length: Int) {
    precondition(capacity > 0, "a window holds at least one frame")
    beginning = Int(frames.length.value)
    self.capacity = capacity
    bytesPerFrame = frames.format.bytesPerFrame
    unsafe memory = frames.release(room: FrameCount(beginning + capacity))
    unsafe shared = .allocate(capacity: 1)
    unsafe shared.initialize(to: Shared())
    unsafe shared.pointee.first.store(beginning, ordering: .relaxed)
    unsafe shared.pointee.end.store(beginning, ordering: .relaxed)
    unsafe shared.pointee.length.store(length, ordering: .relaxed)
  }

  func deallocate() {
    unsafe shared.deinitialize(count: 1)
    unsafe shared.deallocate()
    unsafe free(memory)
  }

  var first: Int { unsafe shared.pointee.first.load(ordering: .sequentiallyConsistent) }
  var end: Int { unsafe shared.pointee.end.load(ordering: .sequentiallyConsistent) }
  var isComplete: Bool { unsafe shared.pointee.isComplete.load(ordering: .acquiring) }

  var length: Int {
    get { unsafe shared.pointee.length.load(ordering: .acquiring) }
    nonmutating set { unsafe shared.pointee.length.store(newValue, ordering: .releasing) }
  }

  var wanted: Int {
    get { unsafe shared.pointee.wanted.load(ordering: .relaxed) }
    nonmutating set { unsafe shared.pointee.wanted.store(newValue, ordering: .relaxed) }
  }

  var isAbandoned: Bool {
    get { unsafe shared.pointee.isAbandoned.load(ordering: .relaxed) }
    nonmutating set { unsafe shared.pointee.isAbandoned.store(newValue, ordering: .relaxed) }
  }
}

extension SoundWindowState {
  /// Marks the beginning of a read. Until `leave`, the frames in the range stay in memory.
  func enter() { unsafe shared.pointee.isBeingRead.store(true, ordering: .sequentiallyConsistent) }

  func leave() { unsafe shared.pointee.isBeingRead.store(false, ordering: .releasing) }

  /// Returns the number of contiguous frames in memory from this frame on.
  func reach(from frame: Int) -> Int {
    if frame < beginning { return beginning - frame }
    // Load `end` before `first`, because the writer stores a new `first` before a new `end`. So a
    // new `end` is never used with an old `first`.
    let end = end
    guard frame >= first, frame < end else { return 0 }
    return min(end - frame, capacity - frame % capacity)
  }

  /// Returns whether these frames are contiguous while they are in memory.
  func isContiguous(_ frames: Range<Int>) -> Bool {
    if frames.lowerBound < beginning { return frames.upperBound <= beginning }
    return frames.lowerBound % capacity + frames.count <= capacity
  }

  /// Returns the offset of a frame in the memory, in bytes.
  func offset(of frame: Int) -> Int {
    (frame < beginning ? frame : beginning + frame % capacity) * bytesPerFrame
  }

  var start: UnsafeRawPointer { unsafe UnsafeRawPointer(memory) }
}

extension SoundWindowState {
  func fill(_ frames: RawSpan) {
    let count = frames.byteCount / bytesPerFrame
    precondition(count <= capacity, "more frames than the window holds")
    let end = end
    if end + count - capacity > first {
      unsafe shared.pointee.first.store(end + count - capacity, ordering: .sequentiallyConsistent)
      awaitReader()
    }
    var done = 0
    while done < count {
      let piece = min(count - done, capacity - (end + done) % capacity)
      let bytes = done * bytesPerFrame..<(done + piece) * bytesPerFrame
      put(frames.extracting(bytes), at: offset(of: end + done))
      done += piece
    }
    if end + count > length { length = end + count }
    unsafe shared.pointee.end.store(end + count, ordering: .sequentiallyConsistent)
  }

  func move(to frame: Int) {
    unsafe shared.pointee.end.store(0, ordering: .sequentiallyConsistent)
    awaitReader()
    unsafe shared.pointee.first.store(frame, ordering: .sequentiallyConsistent)
    unsafe shared.pointee.end.store(frame, ordering: .sequentiallyConsistent)
  }

  func complete() {
    length = end
    unsafe shared.pointee.isComplete.store(true, ordering: .releasing)
  }

  private func put(_ frames: RawSpan, at offset: Int) {
    let target = unsafe memory + offset
    unsafe frames.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe target.copyMemory(from: source, byteCount: bytes.count)
    }
  }

  /// Waits until no read is in progress. A read takes less time than a period, unless the reader's
  /// thread gets no processor time.
  private func awaitReader() {
    while unsafe shared.pointee.isBeingRead.load(ordering: .sequentiallyConsistent) {
      KernelClock.sleep(.microseconds(100))
    }
  }
}
