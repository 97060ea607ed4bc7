package import Audio
internal import Control
package import Decoding
package import JSON
package import Linux
internal import Synchronization

/// A child process that confines itself and decodes an untrusted file. If it crashes, this process
/// is not affected.
package final class DecoderChild: FrameSupply {
  private let child: Mutex<ChildProcess?>
  private let frames: Descriptor
  private let words: Descriptor
  /// The text that `readFlaw` has read from `words`.
  private let said = Mutex<[UInt8]>([])
  private let order: DecodeOrder

  private static let newline = UInt8(ascii: "\n")

  /// The capacity of the pipe for decoded bytes. From a 16-bit sound, a player reads fewer bytes
  /// than this at a time, so the player and the decoder do not wait for each other.
  private static let ahead = 262_144

  /// The name of the command that decodes.
  package static let command = "decode"
  /// The exit codes of a decoder: success, and a file that cannot be decoded.
  private static let (done, notASound): (Int32, Int32) = (0, 16)

  /// Starts the program at the path `program`, which decodes an open file. The decoding begins at
  /// the output frame `first`.
  package init(
    _ program: String, _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws {
    var json: JSONObject = [
      "format": order.format.json, "first": first.json, "samples": order.samples.rawValue.json,
      "precise": order.isPrecise.json,
    ]
    json.set("raw", order.raw)
    json.set("mix", order.mix)
    self.order = order
    let output = try Descriptor.pipe()
    let errors = try Descriptor.pipe()
    output.reading.holdInPipe(Self.ahead)
    var spawn = Spawn.isolated(program, [Self.command, JSONValue.object(json).encoded()])
    // Libraries may print anything to stderr, the third descriptor. So the child writes its own
    // messages to the fourth descriptor.
    spawn.descriptors = [file.number, output.writing.number, nil, errors.writing.number]
    child = Mutex(try spawn.start())
    frames = output.reading
    words = errors.reading
  }

  deinit { abandon() }

  /// Returns the head that the child writes first.
  package func head() throws -> DecodedHead {
    var bytes = [UInt8](repeating: 0, count: DecodedHead.size)
    // If the file is broken, the child writes no head. So return a default head: `finish` then
    // throws the problem that the child reports.
    guard try read(into: &bytes) == bytes.count else { return DecodedHead(.float32, length: nil) }
    var head = unsafe DecodedHead(bytes.span.bytes, order.samples)
    head.flaw = readFlaw()
    guard let length = head.length ?? order.length else { return head }
    child.withLock { held in
      guard let child = held.take() else { return }
      // This fails only if the child has ended, and then the child's own message explains why.
      try? DecoderTime.extend(child, by: length.duration(at: order.format.rate))
      held = consume child
    }
    return head
  }

  /// Returns the flaw in the file, which the child writes before the head, or nil if there is none.
  private func readFlaw() -> SoundFlaw? {
    guard (try? words.wait(upTo: .zero)) == true else { return nil }
    var text = [UInt8](repeating: 0, count: 1_024)
    guard let count = try? words.read(into: &text) else { return nil }
    // The text may also contain the problem, which `problem` reads later.
    said.withLock { $0 += text[..<count] }
    guard let line = text[..<count].split(separator: Self.newline).first else { return nil }
    let json = try? JSONValue(decoding: Array(line).span, limits: JSONLimits())
    return json?["flaw"].flatMap(SoundFlaw.init(json:))
  }

  /// Fills `bytes` with the next decoded bytes and returns their number, which is smaller than the
  /// size of `bytes` only at the end.
  package func read(into bytes: inout [UInt8]) throws -> Int { try frames.readAll(into: &bytes) }

  /// Throws the problem with the file if the child has reported a problem or has failed.
  package func finish() throws {
    if let problem = try problem() { throw problem }
  }

  /// Kills the child if it still runs.
  package func abandon() {
    guard let child = takeChild() else { return }
    try? child.send(.kill)
    _ = try? child.wait()
  }

  private func takeChild() -> ChildProcess? { child.withLock { $0.take() } }

  /// Returns the problem that the child reported or that its exit status shows, or nil if the child
  /// succeeded.
  private func problem() throws -> SoundProblem? {
    guard let child = takeChild() else { return nil }
    let rest = try words.readAll(upTo: 4_096)
    let lines = (said.withLock { $0 } + rest).split(separator: Self.newline)
    let text = Array(lines.last { !$0.starts(with: #"{"flaw":"#.utf8) } ?? [])
    // In a program that ignores SIGCHLD, the exit status of a child is lost.
    guard let ending = try? child.wait() else {
      return text.isEmpty ? nil : SoundProblem(decoding: text)
    }
    return switch ending {
    case .exited(Self.done): nil
    case .exited(Self.notASound) where !text.isEmpty: SoundProblem(decoding: text)
    case .killed(.kill), .killed(.tooMuchTime): SoundProblem("it takes too long to decode")
    case .exited, .killed: .broken
    }
  }
}

extension DecodedHead {
  /// The size of an encoded head in bytes. A flaw is sent separately.
  package static let size = 8

  /// Decodes the bytes of the property `bytes`.
  package init(_ bytes: RawSpan, _ samples: DecodedSamples) {
    let value = unsafe bytes.unsafeLoadUnaligned(as: Int64.self)
    let isSmall = samples == .smallest && value < -1
    let length = isSmall ? -3 &- value : value
    let usual: SampleFormat = samples == .integers ? .int32 : .float32
    self.init(isSmall ? .int16 : usual, length: length < 0 ? nil : FrameCount(length))
  }

  /// A 64-bit integer: the number of frames, or −1 if it is unknown. For 16-bit samples: −3 minus
  /// the number, or −2 if it is unknown.
  package var bytes: [UInt8] {
    let length = length?.value ?? -1
    let value = sample == .int16 ? -3 - length : length
    return unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
  }
}

/// The processor time that a process gets for reading an untrusted file, in seconds.
package enum DecoderTime {
  /// The limits for a short sound and for the longest sound.
  package static let (shortest, longest): (UInt64, UInt64) = (10, 1 << 30)

  /// Raises the time limit of a decoder for a long sound. The confined decoder cannot raise its own
  /// limit.
  static func extend(_ decoder: borrowing ChildProcess, by duration: Duration) throws(SystemError) {
    let seconds = min(shortest + UInt64(clamping: duration.components.seconds), longest)
    try ResourceLimit.processorTime.raise(to: seconds, ofAtMost: longest, for: decoder)
  }
}

extension SoundProblem {
  /// The problem of a file whose decoder ended without a message.
  package static let broken = SoundProblem("its decoder crashed")

  /// Decodes the message of a confined process.
  package init(decoding text: [UInt8]) {
    let json = try? JSONValue(decoding: text.span, limits: JSONLimits())
    self = json?.object.flatMap(SoundProblem.init) ?? .broken
  }

  /// Reads the problem in an object, or returns nil if the object has none.
  package init?(_ object: JSONObject) {
    guard let reason = object["problem"]?.string else { return nil }
    self.init(
      reason, isConvertible: object["convertible"]?.bool ?? false,
      isUnknown: object["unknown"]?.bool ?? false)
  }

  /// The message that a confined process writes.
  package var json: JSONObject {
    [
      "problem": reason.json, "convertible": isConvertible.json, "unknown": isUnknown.json,
    ]
  }
}
