internal import Audio
internal import Control
internal import Linux
internal import RealTime
internal import Synchronization

/// A program that reads the frames of a take.
final class TapReader: Sendable {
  private struct State {
    /// The bytes for the reader. The first `sent` bytes are already sent.
    var outbox: [UInt8]
    var sent = 0
    /// Whether new frames are dropped until all earlier bytes are sent. So a slow reader misses a
    /// few long pieces instead of many short ones.
    var isBehind = false
    /// Whether the last packet is in the outbox.
    var hasEnded = false
    var isConnected = true
    /// The position after the last frame that was sent or dropped.
    var end: Int
    /// The time on the monotonic clock when the socket last accepted bytes, or when the last packet
    /// was added.
    var progressed = KernelClock.monotonic.now

    var waiting: Int { outbox.count - sent }
  }

  let access: ReaderAccess
  private let socket: UnixSocket
  /// The position of the first frame to send.
  private let first: Int
  /// The channels to send, or nil for all.
  private let channels: ChannelMap?
  private let state: Mutex<State>

  /// The largest number of bytes that wait for the reader, besides those in the kernel.
  private static let mostWaiting = 1 << 20
  /// The longest wait for the reader to accept bytes after the last packet was added.
  private static let patience = Duration.seconds(5)

  /// - Parameter unsent: bytes to send before the first packet.
  init(
    _ socket: consuming UnixSocket, _ unsent: [UInt8], _ access: ReaderAccess, from first: Int,
    _ channels: ChannelMap?
  ) {
    self.socket = socket
    self.access = access
    self.first = first
    self.channels = channels
    state = Mutex(State(outbox: unsent, end: first))
  }

  /// The number of the socket.
  var number: Int32 { socket.descriptor.number }

  /// Sends the frames and channels that the reader requested, or drops them if it reads too slowly.
  func take(_ frames: RawSpan, of stream: StreamFormat, at position: Int) {
    let (size, sample) = (stream.bytesPerFrame, stream.sample.bytesPerSample)
    let step = max(1, TapPacket.largest / size) * size
    let skipped = max(0, first - position) * size
    for offset in stride(from: skipped, to: frames.byteCount, by: step) {
      let piece = frames.extracting(offset..<min(offset + step, frames.byteCount))
      let bytes = channels?.selecting(from: piece, bytesPerSample: sample) ?? piece.copy
      add(bytes, at: position + offset / size, piece.byteCount / size)
    }
    flush()
  }

  private func add(_ bytes: [UInt8], at position: Int, _ count: Int) {
    let packet = TapPacket.frames(bytes, at: FrameCount(position)).bytes
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.end = position + count
      if state.waiting == 0 { state.isBehind = false }
      let isFull = state.waiting + packet.count > Self.mostWaiting
      state.isBehind = state.isBehind || isFull
      if !state.isBehind { state.outbox += packet }
    }
  }

  /// Sends the last packet. Later frames are not sent.
  func end(_ reply: Reply) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      state.progressed = KernelClock.monotonic.now
      state.outbox += TapPacket.end(reply, at: FrameCount(state.end)).bytes
    }
    flush()
  }

  /// Sends as much as the reader's socket accepts now.
  func flush() {
    state.withLock { state in
      do throws(SystemError) {
        while state.waiting > 0,
          let count = try socket.send(state.outbox.span.extracting(state.sent...))
        {
          state.sent += count
          state.progressed = KernelClock.monotonic.now
        }
      } catch {
        state.isConnected = false
        state.sent = state.outbox.count
      }
      guard state.sent >= state.waiting else { return }
      state.outbox.removeFirst(state.sent)
      state.sent = 0
    }
  }

  /// Whether bytes wait for the reader.
  var hasUnsent: Bool { state.withLock { $0.waiting > 0 } }

  /// Returns whether the reader has disconnected, has received the last packet, or does not accept
  /// the last packet.
  func hasLeft(at now: Duration) -> Bool {
    let isOver = state.withLock { state in
      !state.isConnected
        || state.hasEnded && (state.waiting == 0 || now - state.progressed > Self.patience)
    }
    if isOver { return true }
    // A reader sends nothing after its request, so any data counts as the end of the reader.
    var scratch: [UInt8] = [0]
    do throws(SystemError) {
      return try socket.receive(into: &scratch) != nil
    } catch {
      return true
    }
  }
}

extension RawSpan {
  /// A copy of the bytes.
  fileprivate var copy: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension ChannelMap {
  /// Returns the selected channels of whole frames.
  fileprivate func selecting(from frames: RawSpan, bytesPerSample size: Int) -> [UInt8] {
    let count = frames.byteCount / sources.value * targets.value
    var chosen = [UInt8](repeating: 0, count: count)
    var room = chosen.mutableSpan
    var target = unsafe room.mutableBytes
    select(from: frames, bytesPerSample: size, into: &target)
    return chosen
  }
}
