package import Audio
internal import RealTime

/// A command to a voice.
package enum VoiceCommand: BitwiseCopyable, Hashable, Sendable {
  /// Plays from the beginning, in any state.
  case play(PlayOptions)
  /// Stops with a short fade; the position stays.
  case stop
  /// Pauses with a short fade; changes nothing unless the voice plays.
  case pause
  /// Continues from the position.
  case resume
  /// Moves to the beginning; a playing voice keeps playing.
  case rewind
  /// Plays from the beginning, with as many plays as the last time.
  case replay
  /// Moves to a frame; a position past the end is the end.
  case seek(FrameCount)
  /// Fades to a gain, 1 being unchanged.
  case volume(Float, within: FrameCount)
  /// Continues from the position, to be heard from that moment of CLOCK_MONOTONIC on; at once where
  /// it has passed. In nanoseconds.
  case start(at: Int64)
  /// Loops, or ends the loop with the current play.
  case loop(Bool)
  /// Repeats the sound that often after the current play; `Int.max` is without end.
  case repeats(Int)
  /// Mutes or unmutes; a muted voice keeps playing.
  case mute(Bool)
  /// Moves the sound between left, −1, and right, 1.
  case pan(Float)
  /// Measures the loudness of each channel from now on, or no longer.
  case meter(Bool)
}

/// The options of one playback.
package struct PlayOptions: BitwiseCopyable, Hashable, Sendable {
  /// The number of plays in total.
  package var times = 1
  /// Loops until a command ends it.
  package var loops = false
  /// The gain; nil leaves it unchanged.
  package var volume: Float?
  /// Muted from the start; nil leaves it unchanged.
  package var isMuted: Bool?
  /// The time from silence to the volume.
  package var fadeIn: FrameCount = 0
  /// Silence before the sound if the output slept, for devices that swallow their first moments.
  package var leadIn: FrameCount = 0
  /// True where the voice may be gone once it has ended, so that it does not come again with a
  /// device that was lost.
  var endsForGood = false

  /// One play at the present volume, without a fade.
  package init() {}
}

/// A command on its way to the thread that renders.
struct Order: BitwiseCopyable, Sendable {
  /// The slot of the voice.
  var slot: Int
  /// The number of this order among those of the slot.
  var sequence: Int
  /// The sound to play from now on, where that is another sound.
  var sound: SoundFrames?
  var command: VoiceCommand

  static let bytes = MemoryLayout<Order>.stride
}

extension SampleRing.Writer {
  /// Puts an order in; false where there is no room.
  mutating func put(_ order: Order) -> Bool {
    var room = room(upTo: 1)
    guard room.byteCount == Order.bytes else { return false }
    room.storeBytes(of: order, as: Order.self)
    commit(1)
    return true
  }
}

extension SampleRing.Reader {
  /// True where an order is there.
  var hasOrder: Bool { mutating get { frames(upTo: 1).byteCount == Order.bytes } }

  /// True where orders are there, and none of them for a moment: that is reckoned from the time at
  /// which the device last took frames.
  var hasOrdersForNow: Bool {
    mutating get {
      let orders = frames()
      for place in stride(from: 0, to: orders.byteCount, by: Order.bytes) {
        let order = unsafe orders.unsafeLoad(fromByteOffset: place, as: Order.self)
        if case .start = order.command { return false }
      }
      return orders.byteCount > 0
    }
  }

  /// The next order, or nil where there is none.
  mutating func takeOrder() -> Order? {
    let order: Order
    do {
      let bytes = frames(upTo: 1)
      guard bytes.byteCount == Order.bytes else { return nil }
      order = unsafe bytes.unsafeLoad(as: Order.self)
    }
    release(1)
    return order
  }
}
