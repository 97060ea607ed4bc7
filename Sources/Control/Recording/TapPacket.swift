package import Audio
internal import JSON
internal import Linux

/// A packet from a session to a program that reads its take. The packets follow the reply to the
/// request `tap`.
///
/// A packet begins with a header of 16 bytes, which has three little-endian numbers: the number of
/// bytes after the header (4 bytes), the kind of the packet (4 bytes), and a position (8 bytes).
/// Positions are numbers of frames, counted from the beginning of the take across all files. If a
/// reader missed frames, the position of the next packet is later than the end of the previous
/// packet.
package enum TapPacket: Hashable, Sendable {
  /// Whole frames in the format that the reply states, with the position of the first frame.
  case frames([UInt8], at: FrameCount)
  /// The last packet: `done` at the end of the take, or the reason why the reader gets no more
  /// frames. The position is after the last frame that was sent or missed.
  case end(Reply, at: FrameCount)

  /// The largest number of bytes after a header.
  package static let largest = 16_384

  private enum Kind: UInt64 {
    case frames = 0
    case end = 1
  }

  private static let headerSize = 16

  /// The encoded packet.
  package var bytes: [UInt8] {
    switch self {
    case .frames(let bytes, let position): Self.packet(.frames, bytes, position)
    case .end(let reply, let position):
      Self.packet(.end, Array(reply.json(answering: 0).encoded().utf8), position)
    }
  }

  private static func packet(_ kind: Kind, _ bytes: [UInt8], _ position: FrameCount) -> [UInt8] {
    encoded(UInt64(bytes.count), 4) + encoded(kind.rawValue, 4)
      + encoded(UInt64(position.value), 8) + bytes
  }

  private static func encoded(_ number: UInt64, _ size: UInt64) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Removes the first packet from the received bytes, and returns the packet. Returns nil if the
  /// packet is not complete yet. Throws `malformed` if the bytes are not a packet.
  static func take(from received: inout [UInt8]) throws(ControlError) -> TapPacket? {
    guard received.count >= headerSize else { return nil }
    let size = Int(number(received[..<4]))
    guard size <= largest, let kind = Kind(rawValue: number(received[4..<8])),
      let position = FrameCount(json: .integer(Int64(bitPattern: number(received[8..<16]))))
    else { throw .malformed }
    guard received.count >= headerSize + size else { return nil }
    let bytes = Array(received[headerSize..<headerSize + size])
    received.removeFirst(headerSize + size)
    switch kind {
    case .frames: return .frames(bytes, at: position)
    case .end:
      guard let json = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: largest)),
        let reply = Reply.read(json)?.reply
      else { throw .malformed }
      return .end(reply, at: position)
    }
  }
}

/// The packets that a reader of a take receives, with the numbers of received and missed frames.
package struct TapStream: ~Copyable, Sendable {
  /// The format of the frames.
  package let format: StreamFormat
  /// Whether each frame has the channels of several tracks.
  package let hasSeveralTracks: Bool
  /// The position of the first received frame. Before the first frame arrives, it is the position
  /// in the reply.
  package private(set) var first: FrameCount
  /// The number of received frames.
  package private(set) var frames: FrameCount = 0
  /// The number of missed frames.
  package private(set) var lost: FrameCount = 0
  private let socket: UnixSocket
  private var received: [UInt8]
  private var scratch = [UInt8](repeating: 0, count: 65_536)

  /// Takes over the connection after the reply to `tap`.
  ///
  /// - Parameters:
  ///   - received: the bytes that were received after the reply.
  ///   - first: the position that the reply states.
  init(
    _ socket: consuming UnixSocket, received: [UInt8], _ format: StreamFormat,
    from first: FrameCount, hasSeveralTracks: Bool = false
  ) {
    self.socket = socket
    self.format = format
    self.hasSeveralTracks = hasSeveralTracks
    self.first = first
    self.received = received
  }

  /// The number of the descriptor that becomes readable when bytes arrive or the connection is
  /// closed.
  package var number: Int32 { socket.descriptor.number }

  /// Receives the bytes that have arrived. Returns false if the session has closed the connection.
  package mutating func receive() -> Bool {
    do throws(SystemError) {
      guard let count = try socket.receive(into: &scratch) else { return true }
      received += scratch[..<count]
      return count > 0
    } catch {
      return false
    }
  }

  /// Returns the next complete packet, with the number of frames that are missing before it.
  /// Returns nil if more bytes are needed.
  package mutating func next() throws(ControlError) -> (packet: TapPacket, lost: FrameCount)? {
    guard let packet = try TapPacket.take(from: &received) else { return nil }
    switch packet {
    case .frames(let bytes, let position):
      // The first frames may begin shortly after the position in the reply. The session has dropped
      // no frames before them, so no frames are counted as missed.
      if frames == 0 { first = position }
      let missing = miss(upTo: position)
      frames += FrameCount(bytes.count / format.bytesPerFrame)
      return (packet, missing)
    case .end(_, let position): return (packet, miss(upTo: position))
    }
  }

  /// Counts as missed all frames before `position` that were not received. Returns the number of
  /// frames that were not counted before this call.
  @discardableResult
  package mutating func miss(upTo position: FrameCount) -> FrameCount {
    let missing = max(0, position - (first + frames + lost))
    lost += missing
    return missing
  }
}
