internal import Audio
internal import Synchronization

/// A device whose frames are resampled, so that they keep the pace of the capture's first device.
///
/// Each block of the capture has a target: the frame that this device captured at the time of the
/// block's first frame. The ratio of the resampler follows the rates of both clocks. A small change
/// of the ratio removes the distance between the next frame and the target within some seconds. If
/// the distance is too large, this device skips: it is silent for a moment, and continues at the
/// target.
struct SteeredDevice<Source: FrameSource & ~Copyable>: Sendable {
  let device: QueuedSource<Source>
  /// The indices of this device's channels in a frame of the capture.
  private let channels: [Int]
  private let resampler: VariableResampler
  /// The number of this device's frames for each frame of the first device, if both clocks were
  /// exact.
  private let nominal: Double
  /// The position of the next frame in the device's queue, or nil if silence is next.
  private var position: Double?
  /// The number of this device's frames between the last two positions.
  private var step: Double
  /// The value of `step` at the end of the next block.
  private var nextStep: Double
  /// The number of silent frames before the device may continue.
  private var pause = 0

  /// The largest difference between two clocks that is compensated.
  private static var range: Double { 300e-6 }
  /// A small change of the ratio removes the distance to the target. These are the limit for this
  /// change, and the seconds that a change below the limit needs to remove the distance.
  private static var correction: (ratio: Double, time: Double) { (100e-6, 5) }
  /// The distance in seconds above which the device skips to its target. Before the skip, the
  /// device is silent for the same number of seconds.
  private static var skip: Double { 0.005 }

  init(_ device: QueuedSource<Source>, channels: [Int], rate: SampleRate) {
    self.device = device
    self.channels = channels
    resampler = VariableResampler(from: device.format.rate, to: rate)
    nominal = Double(device.format.rate.hertz) / Double(rate.hertz)
    (step, nextStep) = (nominal, nominal)
  }

  /// The number of later frames that contribute to the value at a position, counted in frames of
  /// the first device.
  var reach: Int { Int(Double(resampler.reach) / nominal) + 1 }

  /// The tracks that are silent in the next block, by their index in `device.tracks`.
  var silent: SilentTracks {
    if let position { return device.silent(at: Int(position)) }
    return device.isMissing
      ? SilentTracks(missing: device.recorded) : SilentTracks(interrupted: device.recorded)
  }

  /// The first position that has enough earlier frames in the queue for the resampler.
  private var leastPosition: Double { Double(device.queue.first + resampler.reach) }

  /// The time of `leastPosition`, or nil if the clock has no time stamp.
  var begin: Double? { device.clock.time(of: leastPosition) }

  /// Removes all frames except those of the last quarter of a second. Called while nothing is
  /// recorded.
  func forget() { device.drop(before: device.queue.end - device.format.rate.hertz / 4) }

  /// Closes the device.
  mutating func close() {
    device.close()
    (position, pause) = (nil, 0)
  }

  /// Prepares a block. Returns the number of its frames, at most `limit`, or 0 if the device has to
  /// be read first.
  ///
  /// - Parameters:
  ///   - time: the time of the block's first frame in seconds, or nil if it is unknown.
  ///   - clock: the clock of the first device.
  ///   - overdue: the number of frames that must not wait for this device any longer.
  mutating func prepare(
    at time: Double?, _ clock: DeviceClock, upTo limit: Int, overdue: Int
  ) -> Int {
    let ratio = (1 + clock.error) / (1 + device.clock.error)
    noteRange(ratio, clock)
    guard device.clock.isSteady, let wanted = time.flatMap({ device.clock.frame(at: $0) }) else {
      position = nil
      device.drop(before: device.queue.end)
      return limit
    }
    let rate = Double(device.format.rate.hertz)
    if let position, abs(wanted - position) > Self.skip * rate || position < leastPosition {
      self.position = nil
      pause = Int(Self.skip * rate / nominal)
    }
    if position == nil, pause == 0 {
      let early = leastPosition - wanted
      if early > 0 { return min(limit, Int(early / nominal) + 1) }
      position = wanted
    }
    device.drop(before: Int(position ?? wanted) - resampler.reach)
    guard let position else { return min(limit, pause) }
    steer(to: wanted, from: position, rate, ratio)
    return available(from: position, upTo: limit, overdue: overdue)
  }

  /// Reports whether the clock cannot be followed, as soon as this is known.
  private func noteRange(_ ratio: Double, _ clock: DeviceClock) {
    let isIrregular = clock.isIrregular || device.clock.isIrregular
    guard isIrregular || (clock.isSettled && device.clock.isSettled) else { return }
    device.state.isBeyondRange.store(
      isIrregular || abs(ratio - 1) > Self.range, ordering: .relaxed)
  }

  /// Sets the ratio of the next block.
  private mutating func steer(
    to wanted: Double, from position: Double, _ rate: Double, _ ratio: Double
  ) {
    let distance = (wanted - position) / rate / Self.correction.time
    nextStep =
      nominal
      * (1 + (ratio - 1).limited(to: Self.range) + distance.limited(to: Self.correction.ratio))
  }

  /// Returns the number of frames that the queue can supply until the silent tracks change.
  private mutating func available(from position: Double, upTo limit: Int, overdue: Int) -> Int {
    let left = Double(device.queue.end - resampler.reach - 1) - position
    guard left > 0 else {
      if overdue > 0 { self.position = nil }
      return min(limit, overdue)
    }
    let step = max(step, nextStep)
    let change = device.change(after: Int(position)).map { Int((Double($0) - position) / step) + 1 }
    return min(limit, Int(left / step) + 1, change ?? limit)
  }

  /// Writes the device's channels of a block. `count` is the number of frames that `prepare` has
  /// returned.
  mutating func render(_ count: Int, into target: inout MutableRawSpan, _ format: StreamFormat) {
    guard var position else {
      pause = max(0, pause - count)
      return
    }
    let queue = device.queue
    let slope = (nextStep - step) / Double(count)
    let size = MemoryLayout<Float>.size
    for frame in 0..<count {
      let offset = frame * format.bytesPerFrame
      for channel in channels.indices {
        let value = resampler.value(
          of: queue.contents, from: queue.index(of: queue.first, channel: channel),
          at: position - Double(queue.first))
        target.storeBytes(
          of: value, toByteOffset: offset + channels[channel] * size, as: Float.self)
      }
      step += slope
      position += step
    }
    self.position = position
  }
}

extension Double {
  /// Returns the nearest number in the range from −`limit` to `limit`.
  fileprivate func limited(to limit: Double) -> Double { min(max(self, -limit), limit) }
}
