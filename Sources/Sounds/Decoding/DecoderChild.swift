package import Audio
internal import Control
package import Decoding
package import JSON
package import Linux
internal import Synchronization

/// A decoder that is a child process, which confines itself; its program says where the engine is.
package protocol ChildDecoder: FrameSupply {
  /// The child.
  var child: DecoderChild { get }
}

extension ChildDecoder {
  /// Returns the head that the child announces.
  package func head() throws(DecodingError) -> DecodedHead { try child.head() }
  /// Fills `bytes` as far as there are any, and returns their number.
  package func read(into bytes: inout [UInt8]) throws(DecodingError) -> Int {
    try child.read(into: &bytes)
  }
  /// Throws the child's fault in the file.
  package func finish() throws(DecodingError) { try child.finish() }
  /// Ends the child.
  package func abandon() { child.abandon() }
}

/// A child process that decodes an untrusted file; a crash of it breaks nothing else.
package final class DecoderChild: Sendable {
  private let child: Mutex<ChildProcess?>
  private let frames: Descriptor
  private let words: Descriptor
  /// The text from `words` that was read with the head.
  private let said = Mutex<[UInt8]>([])
  private let order: DecodeOrder

  private static let newline = UInt8(ascii: "\n")

  /// The decoded bytes in its pipe: more than a player takes at once of a sound of 16 bits, so that
  /// neither waits for the other in between.
  private static let ahead = 262_144

  /// The engine's command for it.
  package static let command = "decode"
  /// The exit codes of the engine that a decoder has.
  private static let (done, notASound): (Int32, Int32) = (0, 16)

  /// Starts the engine at a path on an open file, from a frame of the output on.
  package init(
    _ engine: String, _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws(DecodingError) {
    var json: JSONObject = ["format": order.format.json, "first": .integer(first.value)]
    json.set("raw", order.raw)
    switch order.samples {
    case .floats: break
    case .integers: json["integers"] = true
    case .smallest: json["smallest"] = true
    }
    if order.isPrecise { json["precise"] = true }
    self.order = order
    do throws(SystemError) {
      let (output, errors) = (try Descriptor.pipe().release(), try Descriptor.pipe().release())
      let frames = Descriptor(owning: output.reading)
      frames.holdInPipe(Self.ahead)
      let words = Descriptor(owning: errors.reading)
      let outputEnd = Descriptor(owning: output.writing)
      let errorsEnd = Descriptor(owning: errors.writing)
      var spawn = Spawn.isolated(engine, [Self.command, JSONValue.object(json).encoded()])
      // Libraries write to the third whatever they like.
      spawn.descriptors = [file.number, outputEnd.number, nil, errorsEnd.number]
      child = Mutex(try spawn.start())
      self.frames = frames
      self.words = words
    } catch {
      throw .notStarted(error)
    }
  }

  deinit { abandon() }

  fileprivate func head() throws(DecodingError) -> DecodedHead {
    var bytes = [UInt8](repeating: 0, count: DecodedHead.size)
    // A child that found it broken says no length, and its words say why at the end.
    guard try read(into: &bytes) == bytes.count else { return DecodedHead(.float32, length: nil) }
    var head = unsafe DecodedHead(bytes.span.bytes, order.samples)
    head.flaw = readFlaw()
    guard let length = head.length else { return head }
    child.withLock { held in
      guard let child = held.take() else { return }
      // It is refused only where the child has ended, which its words explain.
      try? DecoderTime.extend(child, by: length.duration(at: order.format.rate))
      held = consume child
    }
    return head
  }

  /// The flaw of the file, which the child writes before the head.
  private func readFlaw() -> SoundFlaw? {
    guard (try? words.wait(upTo: .zero)) == true else { return nil }
    var text = [UInt8](repeating: 0, count: 1_024)
    guard let count = try? words.read(into: &text) else { return nil }
    // The problem may follow already.
    said.withLock { $0 += text[..<count] }
    guard let line = text[..<count].split(separator: Self.newline).first else { return nil }
    let json = try? JSONValue(decoding: Array(line).span, limits: JSONLimits())
    return json?["flaw"].flatMap(SoundFlaw.init(json:))
  }

  fileprivate func read(into bytes: inout [UInt8]) throws(DecodingError) -> Int {
    do throws(SystemError) {
      return try frames.readAll(into: &bytes)
    } catch {
      throw .system(error)
    }
  }

  fileprivate func finish() throws(DecodingError) {
    if let problem = try problem() { throw .refused(problem) }
  }

  fileprivate func abandon() {
    guard let child = takeChild() else { return }
    try? child.send(.kill)
    _ = try? child.wait()
  }

  private func takeChild() -> ChildProcess? { child.withLock { $0.take() } }

  /// Returns what the child said, or how it ended; nil where it did its work.
  private func problem() throws(DecodingError) -> SoundProblem? {
    guard let child = takeChild() else { return nil }
    let text: [UInt8]
    do throws(SystemError) {
      let all = said.withLock { $0 } + (try words.readAll(upTo: 4_096))
      let lines = all.split(separator: Self.newline)
      text = Array(lines.last { !$0.starts(with: #"{"flaw":"#.utf8) } ?? [])
    } catch {
      throw .system(error)
    }
    // A program that ignores its children has nobody to tell how one ended.
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
  /// The number of bytes in which a child writes it, apart from a flaw.
  package static let size = 8

  /// Reads what `bytes` wrote.
  package init(_ bytes: RawSpan, _ samples: DecodedSamples) {
    let value = unsafe bytes.unsafeLoadUnaligned(as: Int64.self)
    let isSmall = samples == .smallest && value < -1
    let length = isSmall ? -3 &- value : value
    let usual: SampleFormat = samples == .integers ? .int32 : .float32
    self.init(isSmall ? .int16 : usual, length: length < 0 ? nil : FrameCount(length))
  }

  /// The number of frames, −1 where it is unknown; of 16 bits −3 minus that number, and −2.
  package var bytes: [UInt8] {
    let length = length?.value ?? -1
    let value = sample == .int16 ? -3 - length : length
    return unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
  }
}

/// The processor time of a process that reads an untrusted file, in seconds.
package enum DecoderTime {
  /// The times for a short sound, and for the longest one.
  package static let (shortest, longest): (UInt64, UInt64) = (10, 1 << 30)

  /// Allows a decoder the time of a long sound; it cannot allow that itself.
  static func extend(_ decoder: borrowing ChildProcess, by duration: Duration) throws(SystemError) {
    let seconds = min(shortest + UInt64(clamping: duration.components.seconds), longest)
    try ResourceLimit.processorTime.raise(to: seconds, ofAtMost: longest, for: decoder)
  }
}

extension SoundProblem {
  /// The problem of a process whose decoder ended without a word.
  package static let broken = SoundProblem("its decoder broke on it")

  /// Reads what a confined process wrote.
  package init(decoding text: [UInt8]) {
    let json = try? JSONValue(decoding: text.span, limits: JSONLimits())
    self = json?.object.flatMap(SoundProblem.init) ?? .broken
  }

  /// The problem in an object; nil where there is none.
  package init?(_ object: JSONObject) {
    guard let reason = object["problem"]?.string else { return nil }
    self.init(reason, isConvertible: object["convertible"]?.bool ?? false)
  }

  /// The object that a confined process writes.
  package var json: JSONObject {
    ["problem": reason.json, "convertible": isConvertible.json]
  }
}
