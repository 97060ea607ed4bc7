internal import Audio
internal import Decoding
internal import Linux
internal import Playback

/// The limits for the parts of a sound that are kept in memory.
package enum SoundMemoryLimits {
  /// The longest sound that is decoded completely before it plays.
  package static let longestWhole = Duration.seconds(30)
  /// The length of the beginning of a longer sound. The beginning stays in memory, because a loop
  /// plays it while a new decoder starts.
  package static let beginning = Duration.seconds(2)
}

/// The work of a thread that keeps the window of a long sound filled until no voice can play the
/// sound any more. If the voice rests (needs no frames for some seconds), the thread ends. A wake
/// of the window then starts another thread.
struct SoundFeed: ~Copyable, Sendable {
  private let file: Descriptor
  private let order: DecodeOrder
  private let format: StreamFormat
  private let window: SoundWindow
  /// Starts another decoder, for example after a seek.
  private let start: DecoderStart
  private var decoder: (any FrameSupply)?
  /// The time for which the voice has requested the same frame.
  private var rest = Duration.zero

  /// The length of the window in memory, without the beginning.
  private static let capacity = Duration.seconds(4)
  /// The length to decode in one step while the window has only few unplayed frames. It is short,
  /// so that the sound continues soon after a seek.
  private static let step = Duration.milliseconds(100)
  /// The largest number of bytes to decode in one step: a quarter of the pipe's capacity.
  private static let largestPiece = 65_536
  /// The time between two checks of the frame that the voice needs. A command ends the wait early.
  /// The return of a loop to the beginning does not end the wait. Until the next check, the loop
  /// plays the beginning from memory.
  private static let interval = Duration.milliseconds(500)
  /// The time after which the decoder and the thread end if the voice needs no frames.
  private static let patience = Duration.seconds(10)

  /// Decodes the beginning of a sound, and starts the thread that decodes the remainder.
  static func begin(
    _ decoder: any FrameSupply, _ start: @escaping DecoderStart, _ file: consuming Descriptor,
    _ order: DecodeOrder, _ format: StreamFormat, _ head: DecodedHead, _ length: FrameCount
  ) throws -> Sound {
    let kept = FrameCount(SoundMemoryLimits.beginning, at: format.rate)
    let capacity = FrameCount(capacity, at: format.rate)
    var beginning = SoundMemory(format, room: kept + capacity)
    while beginning.length < kept {
      let most = min(kept - beginning.length, pieceLength(format))
      let piece = try decoder.read(most, format)
      beginning.append(unsafe piece.span.bytes)
      guard beginning.length == kept || piece.count == Int(most.value) * format.bytesPerFrame else {
        try decoder.finish()
        throw DecodingError.incomplete
      }
    }
    let window = try SoundWindow(beginning: beginning, capacity: capacity, length: length)
    let feed = Handoff(
      SoundFeed(
        file: file, order: order, format: format, window: window, start: start, decoder: decoder))
    try launch(feed)
    return Sound(window, flaw: head.flaw)
  }

  /// Starts the thread. If the thread ends because the voice rests, the next wake of the window
  /// starts another thread.
  private static func launch(_ feed: Handoff<SoundFeed>) throws(SystemError) {
    _ = try Thread("feeding") {
      guard var feed = feed.take() else { return }
      guard feed.run() else { return }
      let window = feed.window
      let resting = Handoff(feed)
      window.rest {
        do throws(SystemError) {
          try Self.launch(resting)
        } catch {
          window.complete(because: error)
        }
      }
    }
  }

  /// Keeps the window filled. Returns true if the voice rests, or false if no voice can play the
  /// sound any more or the decoder has failed.
  private mutating func run() -> Bool {
    rest = .zero
    while !window.isAbandoned && window.fault == nil {
      switch window.need {
      case .nothing:
        wait()
        if rest > Self.patience {
          drop()
          return true
        }
      case .more(let frames): supply(FrameCount(frames))
      case .jump(let frame):
        drop()
        window.move(to: frame)
      }
    }
    drop()
    return false
  }

  /// Waits for a command, or until the voice may need more frames.
  private mutating func wait() {
    let (position, begin) = (window.wanted, KernelClock.monotonic.now)
    _ = window.wait(upTo: Self.interval)
    rest = window.wanted == position ? rest + (KernelClock.monotonic.now - begin) : .zero
  }

  /// Adds frames to the window, at most `frames`. Stops early at the end of the sound. Also stops
  /// early if the voice needs other frames or moves back, because new frames could then overwrite
  /// frames that the voice needs.
  private mutating func supply(_ frames: FrameCount) {
    let (end, position) = (window.end + frames, window.wanted)
    while window.end < end && isWanted && window.wanted >= position {
      do {
        let decoder = try takeDecoder()
        let most = min(end - window.end, step)
        let piece = try decoder.read(most, format)
        window.fill(unsafe piece.span.bytes)
        if piece.count < Int(most.value) * format.bytesPerFrame {
          try decoder.finish()
          return window.complete()
        }
        self.decoder = decoder
      } catch {
        return window.complete(because: error)
      }
    }
  }

  /// Whether the frames after the end of the window are needed. They are not needed if the voice
  /// has jumped to another position, or if no voice can play the sound any more.
  private var isWanted: Bool {
    if case .jump = window.need { false } else { !window.isAbandoned }
  }

  /// The number of frames to decode in one step. It grows with the number of unplayed frames in the
  /// window.
  private var step: FrameCount {
    min(max(FrameCount(Self.step, at: format.rate), window.ahead), Self.pieceLength(format))
  }

  private static func pieceLength(_ format: StreamFormat) -> FrameCount {
    FrameCount(max(1, largestPiece / format.bytesPerFrame))
  }

  /// Returns the running decoder, or starts a decoder that begins at the end of the window.
  private mutating func takeDecoder() throws -> any FrameSupply {
    if let decoder = decoder.take() { return decoder }
    let decoder = try start(file, order, window.end)
    if try decoder.head().sample != format.sample {
      // If the decoder finds that the file is broken, it delivers no frames, and its head has a
      // default format. In this case, throw the error of the decoder instead of `changed`.
      if try decoder.read(1, format).isEmpty { try decoder.finish() }
      throw SoundProblem.changed
    }
    return decoder
  }

  private mutating func drop() { decoder.take()?.abandon() }
}

extension SoundProblem {
  /// The format of the samples in the file has changed. The new samples would play as noise.
  fileprivate static let changed = SoundProblem("the file was changed while it was playing")
}

extension FrameSupply {
  /// Reads the next frames, at most `most`. Fewer frames mean that the sound has ended.
  fileprivate func read(_ most: FrameCount, _ format: StreamFormat) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(most.value) * format.bytesPerFrame)
    let frames = try read(into: &bytes) / format.bytesPerFrame
    bytes.removeLast(bytes.count - frames * format.bytesPerFrame)
    return bytes
  }
}
