package import Audio
internal import RealTime

/// Every voice of one output, mixed period by period; the thread that renders owns it.
///
/// Once it is made, nothing in it allocates or locks. Commands come and reports leave through rings
/// and latest values, between periods.
package struct Mixing: ~Copyable {
  /// The frames of one period.
  package let period: Int
  /// The format that the device takes.
  package let format: StreamFormat
  /// Indexed in loops: an iterator of unspecialised code allocates for each element.
  private let voices: [MixerVoice]
  /// The places of the voices that may have something to add or to report, in their order. There are
  /// hundreds of voices, and few of them are in use.
  private var inUse: [Int] = []
  private var orders: SampleRing.Reader
  private var mixer: Mixer
  private var scratch: SoundScratch
  private let conversion: SampleConversion
  private var noise: Dither
  private var hasChanged = false
  /// True if a voice may wait for a moment, so that the others are not looked through each time.
  private var mayAwait = false
  /// The frames that were mixed so far.
  package private(set) var mixed: Int64 = 0
  /// The number of frames mixed before those that may be taken back; nil where there are none.
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

  /// True where commands wait to be obeyed at once.
  var hasOrdersForNow: Bool { mutating get { orders.hasOrdersForNow } }

  /// Remembers the voices before the frames that come next.
  package mutating func keep() {
    for index in 0..<inUse.count { voices[inUse[index]].keep() }
    kept = mixed
  }

  /// True where the frames since `keep` can be mixed anew: a voice that ended since may have been
  /// forgotten, and the frames of a long sound that began another round may be gone.
  package var mayTakeBack: Bool {
    guard kept != nil else { return false }
    for index in 0..<inUse.count where !voices[inUse[index]].mayTakeBack { return false }
    return true
  }

  /// Returns to the voices that `keep` remembered.
  package mutating func takeBack() {
    guard let kept else { return }
    for index in 0..<inUse.count { voices[inUse[index]].takeBack() }
    mixed = kept
    self.kept = nil
  }

  /// The bytes of one period.
  package var bytes: Int { period * format.bytesPerFrame }

  /// True where no voice has anything to add, now and later.
  package var isAtRest: Bool {
    for index in 0..<inUse.count where !voices[inUse[index]].isAtRest { return false }
    return true
  }

  /// Gives the voices the commands since the last time; returns true if there were any.
  ///
  /// - Parameter sleeping: true if the device slept until now, so that a lead-in is due.
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

  /// Renders the next period; samples beyond full scale are clipped.
  ///
  /// - Parameters:
  ///   - bytes: has room for a period.
  ///   - now: CLOCK_MONOTONIC, for the reports.
  ///   - ahead: the frames that the device plays before these.
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

  /// True where a voice waits for a moment at which to begin.
  mutating func awaitsMoment() -> Bool {
    guard mayAwait else { return false }
    for index in 0..<inUse.count where voices[inUse[index]].awaitsMoment { return true }
    mayAwait = false
    return false
  }

  /// The first frame behind `played` with which a voice fell silent; nil where there is none. Voices
  /// that fell silent before are no longer in use.
  mutating func nextEnd(after played: Int64) -> Int64? {
    var next: Int64?
    var kept = 0
    for index in 0..<inUse.count {
      let place = inUse[index]
      if voices[place].isAtRest {
        let end = voices[place].lastFrame
        if end <= played { continue }
        next = min(next ?? .max, end)
      }
      inUse[kept] = place
      kept += 1
    }
    inUse.removeLast(inUse.count - kept)
    return next
  }

  /// Keeps every voice at its position, because the device is gone for now.
  ///
  /// - Parameter unheard: the last frames, which the device has not played.
  package mutating func freeze(unheard: FrameCount = 0) {
    for index in 0..<inUse.count {
      voices[inUse[index]].freeze(unheard: Int(unheard.value), of: mixed)
    }
    publish()
  }

  /// True if the state of a voice changed since the last time.
  package mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  private mutating func publish() {
    for index in 0..<inUse.count where voices[inUse[index]].publish() { hasChanged = true }
  }

  /// Adds a voice to those in use; the order of their places is the order in which they are mixed.
  private mutating func use(_ place: Int) {
    var index = inUse.count
    while index > 0, inUse[index - 1] > place { index -= 1 }
    if index > 0, inUse[index - 1] == place { return }
    inUse.insert(place, at: index)
  }
}

// SAFETY: the voices are reachable through this value alone, which one thread owns at a time.
extension Mixing: @unchecked Sendable {}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }
}
