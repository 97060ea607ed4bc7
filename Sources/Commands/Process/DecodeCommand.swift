internal import Audio
internal import Control
internal import Decoding
internal import Files
internal import JSON
internal import Linux
internal import Sounds

/// `decode`: decodes an untrusted file in a process with almost no rights.
///
/// The process reads the file from descriptor 0, and writes frames to descriptor 1. A flaw of the
/// file is written to descriptor 3, before the first byte to descriptor 1. A failure is also
/// written to descriptor 3, and the process then exits with 16.
package enum DecodeCommand: RunnableCommand {
  /// The subcommand that starts the child process.
  package static var words: [String] { [DecoderChild.command] }

  static let order = Operand<Text>(.one, named: "ORDER", summary: "Format to decode to, in JSON")

  /// The description for the parser. No help page lists the command.
  package static var command: Command {
    Command(
      words, section: nil, summary: "Decode a file from stdin", operands: [order],
      ends: [.notASound])
  }

  /// Decodes the file and ends the process. Throws only if the argument ORDER is invalid.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let text = arguments[order].first?.value ?? ""
    guard let json = try? JSONValue(decoding: Array(text.utf8).span, limits: JSONLimits()),
      let format = json["format"].flatMap(StreamFormat.init(json:))
    else { throw Failure(.usage, "invalid order") }
    do throws(SoundFileError) {
      try DecoderConfinement.enterToDecode()
      let output = Descriptor(owning: 1)
      let raw = json["raw"].flatMap(StreamFormat.init(json:))
      var order = DecodeOrder(name: "-", raw: raw, format: format)
      order.mix = json["mix"].flatMap([ChannelCount].init(json:)) ?? []
      order.samples = json["samples"]?.string.flatMap(DecodedSamples.init) ?? .floats
      order.isPrecise = json["precise"]?.bool ?? false
      let first = json["first"].flatMap(FrameCount.init(json:)) ?? 0
      try order.decodeBytes(Descriptor(owning: 0), from: first) { head throws(SoundFileError) in
        if let flaw = head.flaw { report(["flaw": flaw.json]) }
        try SoundFileError.of(output.writeAll(unsafe head.bytes.span.bytes))
      } into: { bytes throws(SoundFileError) in
        try SoundFileError.of(output.writeAll(bytes))
      }
    } catch {
      report(SoundProblem(error).json)
      Program.end(ExitCode.notASound.rawValue)
    }
    Program.end(ExitCode.done.rawValue)
  }

  private static func report(_ object: JSONObject) {
    let words = JSONValue.object(object).encoded() + "\n"
    let output = Descriptor(owning: 3)
    try? output.writeAll(Array(words.utf8).span)
    _ = output.release()
  }
}
