package import Audio
internal import RealTime

/// All voices of one output, mixed period by period. The rendering thread owns this value.
///
/// After its creation, it neither allocates nor locks. It reads commands from a ring, and publishes
/// the report of each voice in a `LatestValue`.
package struct Mixing: ~Copyable {
  /// The number of frames in a period.
  package let period: Int
  /// The format of the device.
  package let format: StreamFormat
  /// The voices. `for` loops over them use indexes, because an iterator in unspecialized code
  /// allocates for each element.
  private let voices: [MixerVoice]
  /// The sorted indexes of the voices that may have samples to add or a change to report. There are
  /// hundreds of voices, and few of them are in use.
  private var inUse: [Int] = []
  private var orders: SampleRing.Reader
  private var mixer: Mixer
  private var scratch: SoundScratch
  private let conversion: SampleConversion
  private var noise: Dither
  private var hasChanged = false
  /// Whether a voice may be waiting for a start time. If false, `awaitsMoment` need not search the
  /// voices.
  private var mayAwait = false
  /// The number of mixed frames.
  package private(set) var mixed: Int64 = 0
  /// The value of `mixed` at the last `keep`, or nil if no frames may be rewound.
  private var kept: Int64?

  init(
    _ voices: consuming [MixerVoice], orders: consuming SampleRing.Reader, format: StreamFormat,
    period: Int, seed: UInt64
  ) {
    inUse.reserveCapacity(voices.count)
    self.voices = voices
    self.orders = orders
    self.format = format
    self.period = period
    mixer = Mixer(capacity: FrameCount(period), channels: format.channels)
    scratch = SoundScratch(period, channels: format.channels)
    conversion = SampleConversion(from: .float32, to: format.sample)
    noise = Dither(seed: seed)
  }

  /// Whether commands are waiting, and none of them has a start time.
  var hasOrdersForNow: Bool { mutating get { orders.hasOrdersForNow } }

  /// Saves the state of the voices, so that the next frames can be rewound.
  package mutating func keep() {
    for index in 0..<inUse.count { voices[inUse[index]].keep() }
    kept = mixed
  }

  /// Whether the frames since `keep` can be mixed again. This requires that no voice has ended or
  /// waited for a start time since `keep`, and that the frames of long sounds are still in memory.
  package var mayTakeBack: Bool {
    guard kept != nil else { return false }
    for index in 0..<inUse.count where !voices[inUse[index]].mayTakeBack { return false }
    return true
  }

  /// Restores the state that `keep` saved.
  package mutating func takeBack() {
    guard let kept else { return }
    for index in 0..<inUse.count { voices[inUse[index]].takeBack() }
    mixed = kept
    self.kept = nil
  }

  /// The size of a period in bytes.
  package var bytes: Int { period * format.bytesPerFrame }

  /// Whether all voices are silent and stay silent until they get a command.
  package var isAtRest: Bool {
    for index in 0..<inUse.count where !voices[inUse[index]].isAtRest { return false }
    return true
  }

  /// Passes the new commands to the voices, and returns whether there were new commands.
  ///
  /// - Parameter sleeping: true if the device slept until now, so that a lead-in is needed.
  @discardableResult
  package mutating func obey(sleeping: Bool) -> Bool {
    var isNew = false
    if orders.hasOrder { kept = nil }
    while let order = orders.takeOrder() {
      use(order.slot)
      voices[order.slot].obey(order, sleeping: sleeping)
      if case .start = order.command { mayAwait = true }
      isNew = true
    }
    if isNew { publish() }
    return isNew
  }

  /// Renders the next period. Samples beyond full scale are clipped.
  ///
  /// - Parameters:
  ///   - bytes: the memory for the period.
  ///   - now: the value of CLOCK_MONOTONIC, for the reports.
  ///   - ahead: the number of frames that the device plays before this period.
  package mutating func render(
    into bytes: inout MutableRawSpan, at now: Duration, after ahead: FrameCount = 0
  ) {
    mixer.begin(period)
    mixed += Int64(period)
    let moment = MixMoment(now: now.nanoseconds, ahead: Int(ahead.value), end: mixed)
    for index in 0..<inUse.count where !voices[inUse[index]].isAtRest {
      voices[inUse[index]].render(period, at: moment, into: &mixer, &scratch)
    }
    publish()
    mixer.saturate()
    var noise = noise
    conversion.convert(mixer.samples, into: &bytes, dithering: &noise)
    self.noise = noise
  }

  /// Returns whether a voice waits for a start time.
  mutating func awaitsMoment() -> Bool {
    guard mayAwait else { return false }
    for index in 0..<inUse.count where voices[inUse[index]].awaitsMoment { return true }
    mayAwait = false
    return false
  }

  /// Returns the first output position after `played` at which a voice became silent, or nil if
  /// there is no such position. Voices that became silent at `played` or earlier are removed from
  /// the voices in use.
  mutating func nextEnd(after played: Int64) -> Int64? {
    var next: Int64?
    var kept = 0
    for index in 0..<inUse.count {
      let slot = inUse[index]
      if voices[slot].isAtRest {
        let end = voices[slot].lastFrame
        if end <= played { continue }
        next = min(next ?? .max, end)
      }
      inUse[kept] = slot
      kept += 1
    }
    inUse.removeLast(inUse.count - kept)
    return next
  }

  /// Prepares every voice for the return of the lost device, as `Voice.freeze` describes.
  ///
  /// - Parameter unheard: the number of mixed frames that the device has not played. They are at
  ///   the end of the mix.
  package mutating func freeze(unheard: FrameCount = 0) {
    for index in 0..<inUse.count {
      voices[inUse[index]].freeze(unheard: Int(unheard.value), of: mixed)
    }
    publish()
  }

  /// Returns whether the state of a voice changed since the last call.
  package mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  private mutating func publish() {
    for index in 0..<inUse.count where voices[inUse[index]].publish() { hasChanged = true }
  }

  /// Adds a voice to the sorted voices in use. Voices with lower indexes are mixed first.
  private mutating func use(_ slot: Int) {
    var index = inUse.count
    while index > 0, inUse[index - 1] > slot { index -= 1 }
    if index > 0, inUse[index - 1] == slot { return }
    inUse.insert(slot, at: index)
  }
}

// SAFETY: the voices are accessible only through this value, and one thread owns it at a time.
extension Mixing: @unchecked Sendable {}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
