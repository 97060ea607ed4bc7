internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux

/// A child that decodes a file which somebody else made; what breaks it breaks nothing else.
struct ForeignDecoder: ~Copyable, Sendable {
  private let child: ChildProcess
  private let frames: Descriptor
  private let words: Descriptor
  private let order: DecodeOrder

  /// The bytes that are taken at once, as much as a pipe holds.
  private static let step = 65_536

  /// Starts to decode an open file, from a frame of the output on.
  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount = 0
  ) throws(Failure) {
    self.order = order
    var json: JSONObject = ["format": order.format.json, "first": .integer(first.value)]
    json.set("raw", order.raw)
    do throws(SystemError) {
      let (output, errors) = (try Descriptor.pipe().release(), try Descriptor.pipe().release())
      let frames = Descriptor(owning: output.reading)
      let words = Descriptor(owning: errors.reading)
      let outputEnd = Descriptor(owning: output.writing)
      let errorsEnd = Descriptor(owning: errors.writing)
      // Libraries write to the third whatever they like.
      child = try DecoderConfinement.start(
        DecodeCommand.words + [JSONValue.object(json).encoded()],
        [file.number, outputEnd.number, nil, errorsEnd.number])
      self.frames = frames
      self.words = words
    } catch {
      throw Failure(.failed, Message("cannot start to decode \(quoted(order.name)): \(error)"))
    }
  }

  /// How many frames all of the file makes, which comes before the frames; nil where it does not say.
  mutating func length() throws(Failure) -> FrameCount? {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<Int64>.size)
    // A child that found it broken says no length, and its words say why at the end.
    guard try read(into: &bytes) == bytes.count else { return nil }
    let value = unsafe bytes.span.bytes.unsafeLoadUnaligned(as: Int64.self)
    guard value >= 0 else { return nil }
    let length = FrameCount(value)
    // It is refused only where the child has ended, which its words explain.
    try? DecoderConfinement.extend(child, by: length.duration(at: order.format.rate))
    return length
  }

  /// Fills `bytes` as far as there are any, and returns how many.
  mutating func read(into bytes: inout [UInt8]) throws(Failure) -> Int {
    do throws(SystemError) {
      return try frames.readAll(into: &bytes)
    } catch {
      throw failure(error)
    }
  }

  /// Passes on the bytes of all frames that are left; throws what the child found wrong.
  consuming func run(into sink: (ArraySlice<UInt8>) throws(Failure) -> Void) throws(Failure) {
    var bytes = [UInt8](repeating: 0, count: Self.step)
    while true {
      let count = try read(into: &bytes)
      try sink(bytes[..<count])
      if count < bytes.count { break }
    }
    try finish()
  }

  /// The same bytes, at once.
  consuming func readAll(upTo most: Int) throws(Failure) -> [UInt8] {
    let order = order
    var all: [UInt8] = []
    try run { bytes throws(Failure) in
      all += bytes
      if all.count > most { throw order.tooLong(most) }
    }
    return all
  }

  /// Throws what the child found wrong, once its frames have ended.
  consuming func finish() throws(Failure) {
    let order = order
    if let problem = try problem() { throw Failure(reading: order.name, problem) }
  }

  /// Ends the child; nobody wants what it still had to say.
  consuming func abandon() {
    try? child.send(.kill)
    _ = try? child.wait()
  }

  /// What the child said, or how it ended; nil where it did its work.
  private consuming func problem() throws(Failure) -> SoundProblem? {
    let order = order
    do throws(SystemError) {
      let text = try words.readAll(upTo: 4_096)
      switch try child.wait() {
      case .exited(ExitCode.done.rawValue): return nil
      case .exited(ExitCode.notASound.rawValue) where !text.isEmpty:
        return SoundProblem(decoding: text)
      case .killed(.kill), .killed(.tooMuchTime):
        return SoundProblem("it takes too long to decode")
      case .exited, .killed: return SoundProblem("its decoder broke on it")
      }
    } catch {
      throw Failure(.failed, Message("cannot decode \(quoted(order.name)): \(error)"))
    }
  }

  private func failure(_ error: SystemError) -> Failure {
    Failure(.failed, Message("cannot decode \(quoted(order.name)): \(error)"))
  }
}

extension DecodeOrder {
  fileprivate func tooLong(_ most: Int) -> Failure {
    Failure(
      .notASound,
      Message(
        "cannot play", on: name,
        why: "it does not say its length, and \(most >> 20) MiB of it are not all of it"))
  }
}
