package import CommandLine
internal import Files
internal import JSON
internal import Linux

/// `describe`: what says of sound files what they hold, in a process that can do hardly anything else.
///
/// The files are its descriptors from 3 on; it writes a line of JSON for each to 1, in their order.
package enum DescribeCommand: Carrier {
  package static var words: [String] { ["describe"] }

  static let count = Operand<PlayCount>(.one, named: "COUNT", summary: "How many files there are")

  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Say what open files hold, for the library",
      operands: [count], examples: [Example("recorder sound list", "Runs it")])
  }

  /// The number of the first file.
  static let first = 3

  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let count = arguments[count].first?.value ?? 0
    let output = Descriptor(owning: 1)
    var refusal: JSONObject?
    do throws(SoundFileError) {
      try DecoderConfinement.enter()
    } catch {
      refusal = ["problem": error.reason.json]
    }
    for number in first..<first + count {
      let answer = refusal ?? describe(Descriptor(owning: CInt(number)))
      let line = JSONValue.object(answer).encoded() + "\n"
      guard (try? output.writeAll(Array(line.utf8).span)) != nil else { break }
    }
    Program.end(ExitCode.done.rawValue)
  }

  private static func describe(_ file: consuming Descriptor) -> JSONObject {
    do throws(SoundFileError) {
      let reader = try SoundFileReader(file, named: "-")
      return SoundDescription(reader.info, ending: reader.ending).object
    } catch {
      return ["problem": error.reason.json]
    }
  }
}
