internal import Audio
internal import CommandLine
internal import Control
internal import Decoding
internal import JSON
internal import Linux
internal import Synchronization

/// A child process that decodes an untrusted file; a crash of it breaks nothing else.
final class ConfinedDecoder: FrameSupply {
  private let child: Mutex<ChildProcess?>
  private let frames: Descriptor
  private let words: Descriptor
  private let rate: SampleRate

  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws(DecodingError) {
    var json: JSONObject = ["format": order.format.json, "first": .integer(first.value)]
    json.set("raw", order.raw)
    rate = order.format.rate
    do throws(SystemError) {
      let (output, errors) = (try Descriptor.pipe().release(), try Descriptor.pipe().release())
      let frames = Descriptor(owning: output.reading)
      let words = Descriptor(owning: errors.reading)
      let outputEnd = Descriptor(owning: output.writing)
      let errorsEnd = Descriptor(owning: errors.writing)
      // Libraries write to the third whatever they like.
      child = Mutex(
        try DecoderConfinement.start(
          DecodeCommand.words + [JSONValue.object(json).encoded()],
          [file.number, outputEnd.number, nil, errorsEnd.number]))
      self.frames = frames
      self.words = words
    } catch {
      throw .notStarted(error)
    }
  }

  func length() throws(DecodingError) -> FrameCount? {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<Int64>.size)
    // A child that found it broken says no length, and its words say why at the end.
    guard try read(into: &bytes) == bytes.count else { return nil }
    let value = unsafe bytes.span.bytes.unsafeLoadUnaligned(as: Int64.self)
    guard value >= 0 else { return nil }
    let length = FrameCount(value)
    child.withLock { held in
      guard let child = held.take() else { return }
      // It is refused only where the child has ended, which its words explain.
      try? DecoderConfinement.extend(child, by: length.duration(at: rate))
      held = consume child
    }
    return length
  }

  func read(into bytes: inout [UInt8]) throws(DecodingError) -> Int {
    do throws(SystemError) {
      return try frames.readAll(into: &bytes)
    } catch {
      throw .system(error)
    }
  }

  func finish() throws(DecodingError) {
    if let problem = try problem() { throw .refused(problem) }
  }

  func abandon() {
    guard let child = takeChild() else { return }
    try? child.send(.kill)
    _ = try? child.wait()
  }

  private func takeChild() -> ChildProcess? { child.withLock { $0.take() } }

  /// Returns what the child said, or how it ended; nil where it did its work.
  private func problem() throws(DecodingError) -> SoundProblem? {
    guard let child = takeChild() else { return nil }
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
      throw .system(error)
    }
  }
}
