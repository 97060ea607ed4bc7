internal import Audio

/// The relation between the frames of a device and the monotonic clock, computed from time stamps.
///
/// It is a delay-locked loop of second order (Adriaensen, “Using a DLL to filter time”, 2005). Its
/// gains follow from the expected errors, as in a Kalman filter. So the bandwidth is large at
/// first, and then decreases to 0.01 Hz. The intervals between the time stamps may have different
/// lengths.
struct DeviceClock: Sendable {
  private typealias Stamp = (frame: Double, time: Double)

  /// Seconds per frame at the nominal rate.
  private let length: Double
  /// The largest accepted error of a time stamp, in seconds. Larger errors show that the device has
  /// skipped.
  private let tolerance: Double
  /// The frame of the last time stamp, and the corrected time of this frame in seconds.
  private var last: Stamp?
  /// The real length of a frame minus its nominal length, divided by the nominal length.
  private(set) var error = 0.0
  /// The variance of the time, the covariance of time and `error`, and the variance of `error`.
  private var spread: (time: Double, both: Double, error: Double)
  private var first = 0.0
  /// Whether the last time stamp was beyond the tolerance.
  private var isDoubtful = false
  /// The times of the last three skips.
  private var skips = noSkips
  /// Whether the position of the device moves in large steps. Then a time stamp is late by the time
  /// since the last step, so only the least late time stamp of each second is used.
  private var isCoarse = false
  /// The least late time stamp of the current second, and the end of that second.
  private var (leastLate, end): (Stamp?, Double) = (nil, 0)

  /// The expected error of a time stamp, 0.1 ms.
  private static var jitter: Double { 1e-4 }
  /// The expected error of a crystal, 300 ppm.
  private static var inaccuracy: Double { 3e-4 }
  /// The expected change of `error`, as a variance per second. With time stamps every 0.1 s, this
  /// value keeps the bandwidth at 0.01 Hz.
  private static var wander: Double { 1.6e-14 }
  /// The time over which the errors of the first time stamps are averaged, in seconds.
  private static var settling: Double { 0.1 }
  /// The largest value of `error`, so that wrong time stamps cannot change it without limit.
  private static var mostError: Double { 2e-3 }
  /// The smallest tolerance for a coarse position.
  private static var coarseTolerance: Double { 0.02 }
  private static var minute: Double { 60 }
  private static var noSkips: (Double, Double, Double) { (-.infinity, -.infinity, -.infinity) }

  /// A clock without time stamps.
  init(rate: SampleRate, tolerance: Duration = .milliseconds(5)) {
    length = 1 / Double(rate.hertz)
    self.tolerance = tolerance / .seconds(1)
    spread = (0, 0, Self.inaccuracy * Self.inaccuracy)
  }

  /// Whether the first time stamps were averaged.
  var isSteady: Bool { last.map { $0.time - first >= Self.settling } ?? false }

  /// Whether the rate is known within 10 ppm, if the errors of the time stamps are as expected.
  var isSettled: Bool { last != nil && spread.error < 1e-10 }

  /// Whether the device has skipped three times within the last minute. The two skips that made
  /// `isCoarse` true do not count.
  var isIrregular: Bool { last.map { $0.time - skips.0 < Self.minute } ?? false }

  /// Returns the time at which a frame is captured, in seconds, or nil without a time stamp.
  func time(of frame: Double) -> Double? {
    last.map { $0.time + (frame - $0.frame) * length * (1 + error) }
  }

  /// Returns the frame that is captured at a time, or nil without a time stamp.
  func frame(at time: Double) -> Double? {
    last.map { $0.frame + (time - $0.time) / (length * (1 + error)) }
  }

  /// Takes a time stamp: at `instant`, the device had captured the frames before `frame`.
  mutating func observe(_ frame: Int, at instant: Duration) {
    let stamp = (frame: Double(frame), time: instant / .seconds(1))
    guard let last else { return begin(stamp) }
    guard stamp.frame > last.frame else { return }
    guard isCoarse else { return correct(stamp, after: last) }
    if leastLate.map({ lateness($0) < lateness(stamp) }) != true { leastLate = stamp }
    guard stamp.time >= end, let best = leastLate else { return }
    (leastLate, end) = (nil, stamp.time + 1)
    correct(best, after: last)
  }

  private func lateness(_ stamp: Stamp) -> Double {
    stamp.time - (time(of: stamp.frame) ?? stamp.time)
  }

  private mutating func begin(_ stamp: Stamp) {
    last = stamp
    first = stamp.time
    (spread.time, spread.both) = (Self.jitter * Self.jitter, 0)
  }

  private mutating func correct(_ stamp: Stamp, after last: Stamp) {
    let passed = (stamp.frame - last.frame) * length
    let difference = lateness(stamp)
    guard abs(difference) <= (isCoarse ? max(tolerance, Self.coarseTolerance) : tolerance) else {
      // A single wrong time stamp is ignored.
      if isDoubtful { skip(to: stamp) }
      isDoubtful.toggle()
      return
    }
    isDoubtful = false
    spread.time += passed * (2 * spread.both + passed * spread.error)
    spread.both += passed * spread.error
    spread.error += passed * Self.wander
    let sum = spread.time + Self.jitter * Self.jitter
    let gain = (time: spread.time / sum, error: spread.both / sum)
    self.last = (stamp.frame, stamp.time - (1 - gain.time) * difference)
    error = min(max(error + gain.error * difference, -Self.mostError), Self.mostError)
    spread.error -= gain.error * spread.both
    spread.both *= 1 - gain.time
    spread.time *= 1 - gain.time
  }

  /// Begins again at a time stamp. Two skips within a minute show that the position is coarse.
  private mutating func skip(to stamp: Stamp) {
    if !isCoarse && stamp.time - skips.2 < Self.minute {
      isCoarse = true
      skips = Self.noSkips
    } else {
      skips = (skips.1, skips.2, stamp.time)
    }
    begin(stamp)
  }

  /// Forgets the time stamps, because the device was stopped. With `forgettingRate`, also forgets
  /// the rate, because another device may be opened next.
  mutating func restart(forgettingRate: Bool = false) {
    (last, leastLate) = (nil, nil)
    isDoubtful = false
    if forgettingRate {
      (error, isCoarse) = (0, false)
      skips = Self.noSkips
      spread.error = Self.inaccuracy * Self.inaccuracy
    }
  }
}
