package import Audio

/// A value that moves to a new value in equal steps, one step per frame.
///
/// The final value is exact, even if the steps are rounded.
package struct Ramp: Sendable {
  /// The value that the ramp moves to or has reached.
  package private(set) var target: Float
  /// The number of frames until the target is reached.
  package private(set) var framesLeft = 0
  private var step: Float = 0

  /// A constant value.
  package init(_ value: Float) { target = value }

  /// The value at the current frame.
  package var current: Float {
    @_noLocks @_noAllocation get { target - step * Float(framesLeft) }
  }

  /// Moves to `value` within the next `frames`. 0 frames means immediately.
  @_noLocks @_noAllocation
  package mutating func move(to value: Float, within frames: Int) {
    let start = current
    target = value
    framesLeft = max(0, frames)
    step = framesLeft > 0 ? (value - start) / Float(framesLeft) : 0
  }

  /// Advances by one frame and returns the value at this frame. After the last step, the value is
  /// exactly the target.
  @_noLocks @_noAllocation
  mutating func advance() -> Float {
    if framesLeft > 0 { framesLeft -= 1 }
    return current
  }
}

/// A factor for interleaved float samples that moves to a new value in equal steps.
///
/// A change over some milliseconds causes no click. After the change, the factor is exact. A factor
/// of 1 changes no bit, and a factor of 0 gives silence even for infinity and NaN.
package struct Gain: Sendable {
  /// The ramp of the factor.
  package private(set) var ramp: Ramp
  private let channels: Int

  /// A constant gain of `factor`.
  package init(_ factor: Float, channels: ChannelCount) {
    ramp = Ramp(factor)
    self.channels = channels.value
  }

  /// Moves to `factor` within the next `frames`. 0 frames means immediately.
  @_noLocks @_noAllocation
  package mutating func move(to factor: Float, within frames: Int) {
    ramp.move(to: factor, within: frames)
  }

  /// Multiplies whole frames.
  @_noLocks @_noAllocation
  package mutating func apply(to samples: inout MutableSpan<Float>) {
    let count = samples.count
    var index = 0
    while ramp.framesLeft > 0 && index < count {
      let (factor, end) = (ramp.advance(), min(index + channels, count))
      while index < end {
        unsafe samples[unchecked: index] *= factor
        index &+= 1
      }
    }
    let factor = ramp.target
    if factor == 1 { return }
    while index < count {
      let sample = unsafe samples[unchecked: index]
      unsafe samples[unchecked: index] = factor == 0 ? 0 : sample * factor
      index &+= 1
    }
  }

  /// Adds whole frames, multiplied by the factor, to `mix`, starting at sample `first`.
  ///
  /// NaN samples are skipped, because the sum of NaN and any other sample is NaN.
  @_noLocks @_noAllocation
  package mutating func add(_ voice: Span<Float>, to mix: inout MutableSpan<Float>, at first: Int) {
    let (count, room) = (voice.count, mix.count - first)
    precondition(first >= 0, "a mix begins at 0")
    precondition(count <= room, "the voice does not fit into the mix")
    var index = 0
    while ramp.framesLeft > 0 && index < count {
      let (factor, end) = (ramp.advance(), min(index + channels, count))
      while index < end {
        let sample = unsafe voice[unchecked: index] * factor
        unsafe mix[unchecked: first &+ index] += sample == sample ? sample : 0
        index &+= 1
      }
    }
    let factor = ramp.target
    if factor == 0 { return }
    while index < count {
      let sample = unsafe voice[unchecked: index] * factor
      unsafe mix[unchecked: first &+ index] += sample == sample ? sample : 0
      index &+= 1
    }
  }
}

/// The position of a sound between the left and the right loudspeakers. It moves to a new position
/// in equal steps.
///
/// At −1 the right channels are silent, at 1 the left channels are silent, and at 0 nothing
/// changes. Center channels never change. If there are more than 8 channels, only the first two
/// change.
package struct Balance: Sendable {
  /// The ramp of the position.
  package private(set) var ramp = Ramp(0)
  private let channels: Int
  /// A bit for each channel on the left side.
  private let left: UInt64
  private let right: UInt64

  /// A centered balance.
  package init(channels: ChannelCount) {
    self.channels = channels.value
    let speakers = [Speaker].usual(channels) ?? [.frontLeft, .frontRight]
    var (left, right): (UInt64, UInt64) = (0, 0)
    for (channel, speaker) in speakers.enumerated() {
      switch speaker {
      case .frontLeft, .backLeft, .sideLeft, .frontLeftOfCenter: left |= 1 << UInt64(channel)
      case .frontRight, .backRight, .sideRight, .frontRightOfCenter: right |= 1 << UInt64(channel)
      case .frontCenter, .lowFrequency, .backCenter: break
      }
    }
    (self.left, self.right) = (left, right)
  }

  /// Moves to `position` within the next `frames`. 0 frames means immediately.
  @_noLocks @_noAllocation
  package mutating func move(to position: Float, within frames: Int) {
    ramp.move(to: position, within: frames)
  }

  /// Applies the balance to whole frames.
  @_noLocks @_noAllocation
  package mutating func apply(to samples: inout MutableSpan<Float>) {
    var index = 0
    while index + channels <= samples.count {
      if ramp.framesLeft == 0 && ramp.target == 0 { return }
      let position = ramp.advance()
      scale(&samples, from: index, left, position > 0 ? 1 - position : 1)
      scale(&samples, from: index, right, position < 0 ? 1 + position : 1)
      index &+= channels
    }
  }

  /// Multiplies the channels of one side in the frame that begins at sample `first`.
  @_noLocks @_noAllocation
  private func scale(
    _ samples: inout MutableSpan<Float>, from first: Int, _ side: UInt64, _ factor: Float
  ) {
    if factor == 1 { return }
    var rest = side
    while rest != 0 {
      let index = first &+ rest.trailingZeroBitCount
      // A factor of 0 silences even infinity and NaN.
      samples[index] = factor == 0 ? 0 : samples[index] * factor
      rest &= rest &- 1
    }
  }
}
