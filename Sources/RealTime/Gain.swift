package import Audio

/// A factor for interleaved float samples that moves to a new value in a straight line.
///
/// A change that takes some milliseconds makes no click. After it the factor is exact: 1 changes no
/// bit, and 0 is silence whatever the samples hold.
package struct Gain: Sendable {
  /// The factor that the gain moves to, or has reached.
  package private(set) var target: Float
  /// The number of frames until the factor reaches its target.
  package private(set) var framesLeft = 0
  private var step: Float = 0
  private let channels: Int

  /// A constant gain of `factor`.
  package init(_ factor: Float, channels: ChannelCount) {
    target = factor
    self.channels = channels.value
  }

  /// The factor that the last frame had.
  package var current: Float { target - step * Float(framesLeft) }

  /// Moves to `factor` within the next `frames`; 0 frames is at once.
  @_noLocks @_noAllocation
  package mutating func move(to factor: Float, within frames: Int) {
    let start = current
    target = factor
    framesLeft = max(0, frames)
    step = framesLeft > 0 ? (factor - start) / Float(framesLeft) : 0
  }

  /// Multiplies whole frames.
  @_noLocks @_noAllocation
  package mutating func apply(to samples: inout MutableSpan<Float>) {
    let count = samples.count
    var index = 0
    while framesLeft > 0 && index < count {
      framesLeft -= 1
      let (factor, end) = (current, min(index + channels, count))
      while index < end {
        unsafe samples[unchecked: index] *= factor
        index &+= 1
      }
    }
    if target == 1 { return }
    let factor = target
    while index < count {
      let sample = unsafe samples[unchecked: index]
      unsafe samples[unchecked: index] = factor == 0 ? 0 : sample * factor
      index &+= 1
    }
  }

  /// Adds whole frames, times the factor, to `mix` from its sample `first` on.
  ///
  /// Samples that are no number are skipped, since each would silence all that is mixed with it.
  @_noLocks @_noAllocation
  package mutating func add(_ voice: Span<Float>, to mix: inout MutableSpan<Float>, at first: Int) {
    let (count, room) = (voice.count, mix.count - first)
    precondition(first >= 0, "a mix begins at 0")
    precondition(count <= room, "the voice does not fit into the mix")
    var index = 0
    while framesLeft > 0 && index < count {
      framesLeft -= 1
      let (factor, end) = (current, min(index + channels, count))
      while index < end {
        let sample = unsafe voice[unchecked: index] * factor
        unsafe mix[unchecked: first &+ index] += sample == sample ? sample : 0
        index &+= 1
      }
    }
    let factor = target
    if factor == 0 { return }
    while index < count {
      let sample = unsafe voice[unchecked: index] * factor
      unsafe mix[unchecked: first &+ index] += sample == sample ? sample : 0
      index &+= 1
    }
  }
}
