internal import RealTime

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
