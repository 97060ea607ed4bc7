internal import Audio
internal import Decoding
internal import Linux
internal import Playback

/// The parts of a sound that are kept in memory.
package enum SoundMemoryLimits {
  /// The longest sound that is decoded as a whole before its play begins.
  package static let longestWhole = Duration.seconds(30)
  /// The decoded beginning of a longer one, which gives a loop the time for a new decoder.
  package static let beginning = Duration.seconds(2)
}

/// Keeps the window of a long sound filled, until no voice can play it any more.
struct SoundFeed: ~Copyable, Sendable {
  private let file: Descriptor
  private let order: DecodeOrder
  private let window: SoundWindow
  /// The kind of decoder that is started after a seek.
  private let kind: any FrameSupply.Type
  private var decoder: (any FrameSupply)?
  /// The time for which the voice has wanted the same frame.
  private var rest = Duration.zero

  /// The part in memory besides the beginning.
  private static let capacity = Duration.seconds(4)
  /// The part that is decoded at once while little is ahead, so that a seek is heard soon.
  private static let step = Duration.milliseconds(100)
  private static let largestStep = Duration.milliseconds(500)
  /// The time between two looks at the frame that the voice needs: a command ends the wait, but a
  /// loop begins its next round without one, and has the beginning until that is noticed.
  private static let interval = Duration.milliseconds(500)
  /// The idle time after which a decoder is ended.
  private static let patience = Duration.seconds(10)

  /// Reads the beginning of a sound, and starts the thread that reads the rest.
  static func begin(
    _ decoder: any FrameSupply, _ file: consuming Descriptor, _ order: DecodeOrder,
    _ length: FrameCount
  ) throws(DecodingError) -> Sound {
    let format = order.decoded
    let kept =
      Int(FrameCount(SoundMemoryLimits.beginning, at: format.rate).value) * format.bytesPerFrame
    var bytes = [UInt8](repeating: 0, count: kept)
    guard try decoder.read(into: &bytes) == kept else {
      try decoder.finish()
      throw .incomplete
    }
    do throws(SystemError) {
      let window = try SoundWindow(
        beginning: unsafe bytes.span.bytes, capacity: FrameCount(capacity, at: format.rate),
        length: length, format: format)
      let feed = Handoff(SoundFeed(file, order, window, decoder))
      _ = try Thread("feeding") {
        guard var feed = feed.take() else { return }
        feed.run()
      }
      return Sound(window)
    } catch {
      throw .system(error)
    }
  }

  private init(
    _ file: consuming Descriptor, _ order: DecodeOrder, _ window: SoundWindow,
    _ decoder: any FrameSupply
  ) {
    self.file = file
    self.order = order
    self.window = window
    kind = type(of: decoder)
    self.decoder = decoder
  }

  private mutating func run() {
    while !window.isAbandoned && window.fault == nil {
      switch window.need {
      case .nothing: wait()
      case .more(let frames): supply(frames)
      case .jump(let frame):
        drop()
        window.move(to: frame)
      }
    }
    drop()
  }

  /// Waits for a command, or until the voice may need more; ends the decoder of one that rests.
  private mutating func wait() {
    let (place, begin) = (window.wanted, KernelClock.monotonic.now)
    _ = window.wait(upTo: Self.interval)
    rest = window.wanted == place ? rest + (KernelClock.monotonic.now - begin) : .zero
    if rest > Self.patience { drop() }
  }

  private mutating func supply(_ frames: Int) {
    do throws(DecodingError) {
      let decoder = try takeDecoder()
      let frame = order.decoded.bytesPerFrame
      var bytes = [UInt8](repeating: 0, count: min(frames, step) * frame)
      let count = try decoder.read(into: &bytes)
      let whole = count / frame * frame
      window.fill(unsafe bytes.span.bytes.extracting(first: whole))
      if count == bytes.count {
        self.decoder = decoder
      } else {
        try decoder.finish()
        window.complete()
      }
    } catch {
      window.complete(because: error)
    }
  }

  /// The frames to decode at once: more the more are ahead.
  private var step: Int {
    let rate = order.format.rate
    let most = FrameCount(Self.largestStep, at: rate)
    return Int(max(FrameCount(Self.step, at: rate), min(window.ahead, most)).value)
  }

  /// The running decoder, or a new one that begins at the end of the window.
  private mutating func takeDecoder() throws(DecodingError) -> any FrameSupply {
    if let decoder = decoder.take() { return decoder }
    let decoder = try kind.init(file, order, from: window.end)
    _ = try decoder.length()
    return decoder
  }

  private mutating func drop() { decoder.take()?.abandon() }
}
