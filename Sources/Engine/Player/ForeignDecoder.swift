internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux

/// A child that decodes a file which somebody else made; what breaks it breaks nothing else.
struct ForeignDecoder: ~Copyable {
  private let child: ChildProcess
  private let frames: Descriptor
  private let words: Descriptor
  private let name: String

  /// The bytes that are taken at once, as much as a pipe holds.
  private static let step = 65_536

  /// Starts to decode an open file, at the rate and with the channels of `format`.
  init(
    _ file: borrowing Descriptor, named name: String, raw: StreamFormat?, for format: StreamFormat
  ) throws(Failure) {
    self.name = name
    var order: JSONObject = ["format": format.json]
    order.set("raw", raw)
    do throws(SystemError) {
      let (output, errors) = (try Descriptor.pipe().release(), try Descriptor.pipe().release())
      let frames = Descriptor(owning: output.reading)
      let words = Descriptor(owning: errors.reading)
      let outputEnd = Descriptor(owning: output.writing)
      let errorsEnd = Descriptor(owning: errors.writing)
      // This very program, also where an upgrade has replaced its file.
      var spawn = Spawn(
        "/proc/self/exe", ["decode", JSONValue.object(order).encoded()], environment: [])
      // Libraries write to the third whatever they like.
      spawn.descriptors = [file.number, outputEnd.number, nil, errorsEnd.number]
      spawn.startsSession = true
      child = try spawn.start()
      self.frames = frames
      self.words = words
    } catch {
      throw Failure(.failed, Message("cannot start to decode \(quoted(name)): \(error)"))
    }
  }

  /// Passes on the bytes of all frames; throws what the child found wrong.
  consuming func run(into sink: (ArraySlice<UInt8>) -> Bool) throws(Failure) {
    let name = name
    var isWanted = true
    var bytes = [UInt8](repeating: 0, count: Self.step)
    do throws(SystemError) {
      while isWanted {
        let count = try frames.read(into: &bytes)
        if count == 0 { break }
        isWanted = sink(bytes[..<count])
      }
      if !isWanted { try child.send(.kill) }
    } catch {
      throw Failure(.failed, Message("cannot decode \(quoted(name)): \(error)"))
    }
    let reason = try reason()
    if isWanted, let reason {
      throw Failure(.notASound, Message("cannot read", on: name, why: reason))
    }
  }

  /// What the child said, or how it ended; nil where it did its work.
  private consuming func reason() throws(Failure) -> String? {
    do throws(SystemError) {
      let text = try words.readAll(upTo: 4_096)
      switch try child.wait() {
      case .exited(ExitCode.done.rawValue): return nil
      case .exited(ExitCode.notASound.rawValue) where !text.isEmpty:
        return String(decoding: text, as: UTF8.self)
      case .killed(.kill): return "it takes too long to decode"
      case .exited, .killed: return "its decoder broke on it"
      }
    } catch {
      throw Failure(.failed, Message("cannot decode \(quoted(name)): \(error)"))
    }
  }
}
