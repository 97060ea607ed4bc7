package import Audio
internal import RealTime

/// A command to a voice.
package enum VoiceCommand: BitwiseCopyable, Hashable, Sendable {
  /// Plays from the beginning, in any state.
  case play(PlayOptions)
  /// Stops with a short fade and keeps the position.
  case stop
  /// Pauses with a short fade. Changes nothing if the voice does not play.
  case pause
  /// Continues from the position.
  case resume
  /// Moves to the beginning. A playing voice continues to play.
  case rewind
  /// Plays from the beginning, with the number of plays that was last requested.
  case replay
  /// Moves to a frame. A position past the end counts as the end.
  case seek(FrameCount)
  /// Fades to a gain. At 1, the samples are unchanged.
  case volume(Float, within: FrameCount)
  /// Continues from the position at this time of CLOCK_MONOTONIC, in nanoseconds, or immediately if
  /// the time has passed.
  case start(at: Int64)
  /// Repeats the sound this number of times after the current play. `Int.max` means forever.
  case repeats(Int)
  /// Mutes or unmutes. A muted voice continues to play.
  case mute(Bool)
  /// Sets the pan, from −1 (left) to 1 (right).
  case pan(Float)
  /// Starts or stops measuring the loudness of each channel.
  case meter(Bool)
}

/// The options of one playback.
package struct PlayOptions: BitwiseCopyable, Hashable, Sendable {
  /// The number of plays in total.
  package var times = 1
  /// True to loop until a command ends the loop.
  package var loops = false
  /// The gain, or nil to keep the current gain.
  package var volume: Float?
  /// The length of the fade-in, from silence to the gain.
  package var fadeIn: FrameCount = 0
  /// The length of the silence before the sound. It is used only if the device slept, because some
  /// devices do not play their first moments.
  package var leadIn: FrameCount = 0

  /// One play at the current volume, without a fade.
  package init() {}
}

/// A command in the queue to the rendering thread.
struct Order: BitwiseCopyable, Sendable {
  /// The slot of the voice.
  var slot: Int
  /// The number of this order among the orders of the slot.
  var sequence: Int
  /// The sound to play from now on, or nil to keep the current sound.
  var sound: SoundFrames?
  var command: VoiceCommand

  static let bytes = MemoryLayout<Order>.stride
}

extension SampleRing.Writer {
  /// Adds an order, or returns false if there is no room.
  mutating func put(_ order: Order) -> Bool {
    var room = room(upTo: 1)
    guard room.byteCount == Order.bytes else { return false }
    room.storeBytes(of: order, as: Order.self)
    commit(1)
    return true
  }
}

extension SampleRing.Reader {
  /// Whether an order is available.
  var hasOrder: Bool { mutating get { frames(upTo: 1).byteCount == Order.bytes } }

  /// Whether orders are available and none of them has a start time. For an order with a start
  /// time, no frames may be rewound: the first frame of its sound is computed from the time at
  /// which the device last took frames, so the sound would begin early.
  var hasOrdersForNow: Bool {
    mutating get {
      let orders = frames()
      for offset in stride(from: 0, to: orders.byteCount, by: Order.bytes) {
        let order = unsafe orders.unsafeLoad(fromByteOffset: offset, as: Order.self)
        if case .start = order.command { return false }
      }
      return orders.byteCount > 0
    }
  }

  /// Takes the next order, or returns nil if there is none.
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
