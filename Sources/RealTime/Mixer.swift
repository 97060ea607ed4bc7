package import Audio

/// A mixer that adds up voices, which are sounds of float samples. The sum can exceed full scale
/// until it is converted to integers, or until `saturate` is called.
@safe
package struct Mixer: ~Copyable {
  private let memory: UnsafeMutablePointer<Float>
  private let capacity: Int
  private let channels: Int
  private var count = 0

  /// A mixer of at most `capacity` frames at a time.
  package init(capacity: FrameCount, channels: ChannelCount) {
    self.capacity = Int(capacity.value) * channels.value
    self.channels = channels.value
    unsafe memory = .allocate(capacity: self.capacity)
    unsafe memory.initialize(repeating: 0, count: self.capacity)
  }

  deinit { unsafe memory.deallocate() }

  /// Begins a new sum of `frames` frames, which are silent at first.
  @_noLocks @_noAllocation
  package mutating func begin(_ frames: Int) {
    count = frames * channels
    precondition(frames >= 0, "there are no fewer than 0 frames")
    precondition(count <= capacity, "the mixer is smaller")
    for index in 0..<count { unsafe memory[index] = 0 }
  }

  /// Adds whole frames of a voice with its own gain, starting at frame `first`.
  @_noLocks @_noAllocation
  package mutating func add(_ voice: Span<Float>, at first: Int = 0, gain: inout Gain) {
    var mix = unsafe MutableSpan(_unsafeStart: memory, count: count)
    gain.add(voice, to: &mix, at: first * channels)
  }

  /// Limits the sum to full scale, for outputs that play floats without a conversion.
  @_noLocks @_noAllocation
  package mutating func saturate() {
    for index in 0..<count { unsafe memory[index] = min(1, max(-1, memory[index])) }
  }

  /// The sum of the voices, as interleaved floats.
  package var samples: Span<Float> {
    @_lifetime(borrow self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: memory, count: count), borrowing: self) }
  }
}

// SAFETY: only this value owns the memory, and Swift's exclusivity rules protect the value.
extension Mixer: @unchecked Sendable {}
