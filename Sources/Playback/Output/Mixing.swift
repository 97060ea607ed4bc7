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
  private var orders: SampleRing.Reader
  private var mixer: Mixer
  private var scratch: SoundScratch
  private let conversion: SampleConversion
  private var noise: Dither
  private var hasChanged = false
  /// The frames that were mixed so far.
  package private(set) var mixed: Int64 = 0

  init(
    _ voices: consuming [MixerVoice], orders: consuming SampleRing.Reader, format: StreamFormat,
    period: Int, seed: UInt64
  ) {
    self.voices = voices
    self.orders = orders
    self.format = format
    self.period = period
    mixer = Mixer(capacity: FrameCount(period), channels: format.channels)
    scratch = SoundScratch(period, channels: format.channels)
    conversion = SampleConversion(from: .float32, to: format.sample)
    noise = Dither(seed: seed)
  }

  /// The bytes of one period.
  package var bytes: Int { period * format.bytesPerFrame }

  /// True where no voice has anything to add, now and later.
  package var isAtRest: Bool {
    for place in 0..<voices.count where !voices[place].isAtRest { return false }
    return true
  }

  /// Gives the voices the commands since the last time; returns true if there were any.
  ///
  /// - Parameter sleeping: true if the device slept until now, so that a lead-in is due.
  @discardableResult
  package mutating func obey(sleeping: Bool) -> Bool {
    var isNew = false
    while let order = orders.takeOrder() {
      voices[order.slot].obey(order, sleeping: sleeping)
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
  package mutating func render(into bytes: inout MutableRawSpan, at now: Duration) {
    mixer.begin(period)
    mixed += Int64(period)
    for place in 0..<voices.count where !voices[place].isAtRest {
      voices[place].render(period, upTo: mixed, into: &mixer, &scratch, at: now)
    }
    publish()
    mixer.saturate()
    var noise = noise
    conversion.convert(mixer.samples, into: &bytes, dithering: &noise)
    self.noise = noise
  }

  /// The first frame behind `played` with which a playback ended; nil where there is none.
  func nextEnd(after played: Int64) -> Int64? {
    var next: Int64?
    for place in 0..<voices.count where voices[place].hasEnded && voices[place].lastFrame > played {
      next = min(next ?? .max, voices[place].lastFrame)
    }
    return next
  }

  /// Keeps every voice at its position, because the device is gone for now.
  package mutating func freeze() {
    for voice in voices { voice.freeze() }
    publish()
  }

  /// True if the state of a voice changed since the last time.
  package mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  private mutating func publish() {
    for place in 0..<voices.count where voices[place].publish() { hasChanged = true }
  }
}

// SAFETY: the voices are reachable through this value alone, which one thread owns at a time.
extension Mixing: @unchecked Sendable {}
