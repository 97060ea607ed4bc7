package import Audio
internal import Files
package import Linux
internal import Synchronization

/// A decoder on a thread of this process. A file that crashes the decoder also crashes the process.
package final class LocalDecoder: FrameSupply {
  private let exchange: DecoderExchange

  /// Starts a thread that decodes an open file, beginning at frame `first` of the output.
  package init(_ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount) throws {
    exchange = try DecoderExchange()
    let file = Handoff(try file.duplicate())
    _ = try Thread("decoding") { [exchange] in
      guard let file = file.take() else { return }
      exchange.supply(file, order, from: first)
    }
  }

  deinit { exchange.abandon() }

  /// Waits until the properties of the frames are known, and returns them.
  package func head() throws -> DecodedHead { exchange.head() }

  /// Fills `bytes`, and returns the number of bytes. The number is lower than the length of `bytes`
  /// only at the end of the sound.
  package func read(into bytes: inout [UInt8]) throws -> Int {
    var count = 0
    while count < bytes.count {
      let piece = exchange.take(upTo: bytes.count - count)
      if piece.isEmpty { break }
      bytes.replaceSubrange(count..<count + piece.count, with: piece)
      count += piece.count
    }
    return count
  }

  /// Throws if the decoder found an error in the file.
  package func finish() throws {
    if let problem = exchange.problem { throw problem }
  }

  /// Makes the thread end at its next step.
  package func abandon() { exchange.abandon() }
}

/// The buffer between the decoding thread and the reading thread.
private final class DecoderExchange: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var head: DecodedHead?
    var isOver = false
    var isAbandoned = false
    var problem: SoundFileError?
  }

  private let state = Mutex(State())
  /// Signalled after each change that the reader may wait for.
  private let filled: Event
  /// Signalled after each change that the decoder may wait for.
  private let emptied: Event
  /// The number of bytes after which the decoder waits for the reader.
  private static let room = 65_536

  init() throws(SystemError) {
    filled = try Event()
    emptied = try Event()
  }

  /// Decodes the whole file, on the decoder's thread.
  func supply(_ file: consuming Descriptor, _ order: DecodeOrder, from first: FrameCount) {
    var problem: SoundFileError?
    do throws(SoundFileError) {
      try order.decodeBytes(file, from: first) { head in
        change(filled) { $0.head = head }
      } into: { bytes throws(SoundFileError) in
        try put(bytes)
      }
    } catch {
      problem = error
    }
    change(filled) { state in
      state.problem = problem
      state.isOver = true
    }
  }

  private func put(_ span: RawSpan) throws(SoundFileError) {
    let bytes = unsafe span.withUnsafeBytes { unsafe Array($0) }
    let isWanted = emptied.wait(state) { state -> Bool? in
      if state.isAbandoned { return false }
      guard state.bytes.count < Self.room else { return nil }
      state.bytes += bytes
      return true
    }
    guard isWanted else { throw .system(SystemError("read", errno: .brokenPipe)) }
    filled.signal()
  }

  /// Waits for the head and returns it. If the file cannot be decoded, returns a head without a
  /// length.
  func head() -> DecodedHead {
    filled.wait(state) { state in
      state.head ?? (state.isOver ? DecodedHead(.float32, length: nil) : nil)
    }
  }

  /// Waits for bytes and returns them. Returns an empty array at the end.
  func take(upTo most: Int) -> [UInt8] {
    let bytes = filled.wait(state) { state -> [UInt8]? in
      guard !state.bytes.isEmpty || state.isOver else { return nil }
      let bytes = Array(state.bytes.prefix(most))
      state.bytes.removeFirst(bytes.count)
      return bytes
    }
    emptied.signal()
    return bytes
  }

  var problem: SoundFileError? { state.withLock { $0.problem } }

  func abandon() { change(emptied) { $0.isAbandoned = true } }

  private func change(_ event: borrowing Event, _ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    event.signal()
  }
}
