package import Audio
internal import Files
package import Linux
internal import Synchronization

/// A decoder on a thread of this process; a file that breaks a decoder breaks the process with it.
package final class LocalDecoder: FrameSupply {
  private let exchange: DecoderExchange

  /// Starts a thread that decodes an open file, from a frame of the output on.
  package init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws(DecodingError) {
    do throws(SystemError) {
      let exchange = try DecoderExchange()
      let file = Handoff(try file.duplicate())
      _ = try Thread("decoding") {
        guard let file = file.take() else { return }
        exchange.supply(file, order, from: first)
      }
      self.exchange = exchange
    } catch {
      throw .notStarted(error)
    }
  }

  deinit { exchange.abandon() }

  /// Waits until the decoder has read the file's head, and returns what it says.
  package func head() throws(DecodingError) -> DecodedHead { exchange.head() }

  /// Fills `bytes` as far as there are any, and returns their number.
  package func read(into bytes: inout [UInt8]) throws(DecodingError) -> Int {
    var count = 0
    while count < bytes.count {
      let piece = exchange.take(upTo: bytes.count - count)
      if piece.isEmpty { break }
      bytes.replaceSubrange(count..<count + piece.count, with: piece)
      count += piece.count
    }
    return count
  }

  /// Throws the decoder's fault in the file.
  package func finish() throws(DecodingError) {
    if let problem = exchange.problem { throw .file(problem) }
  }

  /// Lets the thread end with its next step.
  package func abandon() { exchange.abandon() }
}

/// The bytes between the thread that decodes and the one that reads.
private final class DecoderExchange: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var head: DecodedHead?
    var isOver = false
    var isAbandoned = false
    var problem: SoundFileError?
  }

  private let state = Mutex(State())
  /// Signalled after each change that the reader waits for.
  private let filled: Event
  /// Signalled after each change that the decoder waits for.
  private let emptied: Event
  /// The bytes that the decoder may be ahead of the reader.
  private static let room = 65_536

  init() throws(SystemError) {
    filled = try Event()
    emptied = try Event()
  }

  /// Decodes all of a file, on the thread of the decoder.
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

  /// The head; one without a length where the file is broken there.
  func head() -> DecodedHead {
    filled.wait(state) { state in
      state.head ?? (state.isOver ? DecodedHead(.float32, length: nil) : nil)
    }
  }

  /// Takes bytes as soon as there are any; none at the end.
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
