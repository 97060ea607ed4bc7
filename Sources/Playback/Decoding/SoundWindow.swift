package import Audio
internal import Glibc
package import Linux
internal import Synchronization

/// The frames of a long sound that are in memory: its beginning, and those around the playback
/// position.
///
/// One thread fills it while one voice reads from it. The beginning stays, so that a rewind, a
/// replay and a loop continue at once. The voice marks each read of the rest, and the thread that
/// fills takes frames away only outside of such reads; neither the voice nor its device ever waits.
@safe
package final class SoundWindow: Sendable {
  /// The next task of the thread that fills.
  package enum Need: Hashable, Sendable {
    /// Nothing, until the voice has advanced.
    case nothing
    /// At most that many of the frames that follow those in the window.
    case more(Int)
    /// Other frames, from this one on.
    case jump(to: FrameCount)
  }

  /// The format of the frames.
  package let format: StreamFormat
  let state: SoundWindowState
  private let event: Event
  private let cause = Mutex<(any Error)?>(nil)

  /// A window on a sound of about `length` frames.
  ///
  /// - Parameters:
  ///   - beginning: its first frames, whole.
  ///   - capacity: the frames that it holds beside the beginning.
  package init(
    beginning: consuming SoundMemory, capacity: FrameCount, length: FrameCount
  ) throws(SystemError) {
    event = try Event()
    format = beginning.format
    state = SoundWindowState(
      beginning, capacity: Int(capacity.value), length: Int(length.value))
  }

  deinit { state.deallocate() }

  /// The bytes of memory that it takes.
  package var bytes: Int { (state.beginning + state.capacity) * format.bytesPerFrame }

  /// The number of frames of the sound, an estimate until the last is decoded.
  package var length: FrameCount { FrameCount(state.length) }

  /// The reason why the sound ends early; nil where it does not.
  package var fault: (any Error)? { cause.withLock { $0 } }

  /// The frames of silence that were played because the sound's own were not there in time.
  package var late: FrameCount { FrameCount(state.late) }

  /// True once no voice will play it.
  package var isAbandoned: Bool { state.isAbandoned }

  func abandon() {
    state.isAbandoned = true
    event.signal()
  }

  /// Ends the wait of the thread that fills, after a command to the voice.
  package func wake() { event.signal() }

  /// Waits for `wake`; false where it did not come in time.
  package func wait(upTo limit: Duration) -> Bool {
    _ = try? event.descriptor.wait(upTo: limit)
    return event.clear()
  }
}

extension SoundWindow {
  /// The frame that the voice wanted last.
  package var wanted: FrameCount { FrameCount(state.wanted) }

  /// The frames in the window that the voice has not played.
  package var ahead: FrameCount {
    FrameCount(max(0, state.end - max(state.wanted, state.beginning)))
  }

  /// The frame after the last one in the window.
  package var end: FrameCount { FrameCount(state.end) }

  /// The next task; an eighth of the window stays behind the voice, which may still fade out there.
  package var need: Need {
    let place = max(state.wanted, state.beginning)
    let (first, end) = (state.first, state.end)
    guard place >= first && place <= end else { return .jump(to: FrameCount(place)) }
    if state.isComplete && end >= state.length { return .nothing }
    let kept = min(end - max(first, place - state.capacity / 8), state.capacity)
    let room = state.capacity - kept
    return room >= state.capacity / 4 ? .more(room) : .nothing
  }

  /// Adds whole frames behind those in the window; the oldest make room.
  package func fill(_ frames: RawSpan) { state.fill(frames) }

  /// Drops all frames but the beginning, to be filled from `frame` on.
  package func move(to frame: FrameCount) { state.move(to: Int(frame.value)) }

  /// Declares the window's end the end of the sound, which `fault` may have cut short.
  package func complete(because fault: (any Error)? = nil) {
    cause.withLock { $0 = fault }
    state.complete()
  }
}

/// The memory of a window and the numbers that its two threads share; a thread that must not count
/// references can hold it.
///
/// SAFETY: the bytes from `first` to `end` are read between `enter` and `leave`. Frames to
/// overwrite are first taken out of that range, then the writer waits until no reader is within.
/// All of it is sequentially consistent: either the reader sees the range without those frames, or
/// the writer sees the reader.
@safe
struct SoundWindowState: BitwiseCopyable, @unchecked Sendable {
  private struct Shared: ~Copyable {
    let wanted = Atomic(0)
    let first = Atomic(0)
    let end = Atomic(0)
    let length = Atomic(0)
    let late = Atomic(0)
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
  var late: Int { unsafe shared.pointee.late.load(ordering: .relaxed) }
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
  /// Marks the beginning of a read: from here on frames in the range stay there.
  func enter() { unsafe shared.pointee.isBeingRead.store(true, ordering: .sequentiallyConsistent) }

  func leave() { unsafe shared.pointee.isBeingRead.store(false, ordering: .releasing) }

  /// The number of frames from this one on that lie together in memory.
  func reach(from frame: Int) -> Int {
    if frame < beginning { return beginning - frame }
    // The end first: after a new end the new first frame is visible.
    let end = end
    guard frame >= first, frame < end else { return 0 }
    return min(end - frame, capacity - frame % capacity)
  }

  /// The offset of a frame in the memory, in bytes.
  func offset(of frame: Int) -> Int {
    (frame < beginning ? frame : beginning + frame % capacity) * bytesPerFrame
  }

  var start: UnsafeRawPointer { unsafe UnsafeRawPointer(memory) }

  /// Counts frames that were not there in time.
  func miss(_ frames: Int) {
    _ = unsafe shared.pointee.late.add(frames, ordering: .relaxed)
  }
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

  /// Waits for the end of a read, which is shorter than a period; longer only if the reader's
  /// thread has no processor.
  private func awaitReader() {
    while unsafe shared.pointee.isBeingRead.load(ordering: .sequentiallyConsistent) {
      KernelClock.sleep(.microseconds(100))
    }
  }
}
