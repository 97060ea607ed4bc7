internal import Analysis
internal import Audio
internal import Control
internal import Decoding
internal import Files
internal import JSON
internal import Linux
internal import Sounds
internal import Takes

/// `describe`: reports the contents of sound files, or the repair that parts need, in a process
/// with almost no rights.
///
/// Each descriptor from 3 up is a file. The process writes a line of JSON to stdout for each file,
/// in the same sequence.
package enum DescribeCommand: RunnableCommand {
  /// The subcommand that starts the child process.
  package static var words: [String] { ["describe"] }

  static let order = Operand<Text>(.one, named: "ORDER", summary: "Files to describe, in JSON")

  /// The description for the parser. No help page lists the command.
  package static var command: Command {
    Command(
      words, section: nil, summary: "Describe open files, for the library", operands: [order])
  }

  /// The descriptor of the first file.
  static let first = 3

  /// Describes the files and ends the process. Throws only if the argument ORDER is invalid.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let json = try? JSONValue(decoding: arguments[order].first?.value ?? "")
    guard let order = json.flatMap(DescribeOrder.init) else {
      throw Failure(.usage, "invalid order")
    }
    let output = Descriptor(owning: 1)
    var refusal: SoundProblem?
    do throws(SoundFileError) {
      if let parts = order.parts {
        if parts.contains(where: \.isEncoded) { try SoundFileLibrary.prepare() }
        try SoundFileError.of(DecoderConfinement.enter(for: order.seconds))
      } else {
        try DecoderConfinement.enterToDecode(for: order.seconds)
      }
    } catch {
      refusal = SoundProblem(error)
    }
    for index in 0..<order.files {
      let file = Descriptor(owning: CInt(first + index))
      let answer = answer(file, order, order.parts?[index], refusal)
      let line = JSONValue.object(answer).encoded() + "\n"
      guard (try? output.writeAll(line.utf8.span)) != nil else { break }
    }
    Program.end(ExitCode.done.rawValue)
  }

  private static func answer(
    _ file: consuming Descriptor, _ order: DescribeOrder, _ part: PartClue?,
    _ refusal: SoundProblem?
  ) -> JSONObject {
    if let refusal { return refusal.json }
    if let part { return part.reading(of: file).object }
    return describe(file, order)
  }

  private static func describe(
    _ descriptor: consuming Descriptor, _ order: DescribeOrder
  ) -> JSONObject {
    do throws(SoundFileError) {
      let file = try SurveyedFile(descriptor, named: "-", raw: order.raw, among: .all)
      if let picture = order.picture {
        var told = 0
        let tell = { (share: Double) in
          // Each percent is one space before the answer. `ProgressLine` reads the spaces.
          while told < Int(share * 100) {
            try? StandardStream.output.write(" ")
            told += 1
          }
        }
        return picture.rows > 0
          ? try file.spectrogram(picture, tell).object : try file.overview(picture, tell).object
      }
      var info = try file.info()
      guard order.isTried else {
        var object = SoundDescription(info, ending: try file.reader(of: 0).ending).object
        if order.isRepair { object.set("copy", copy(of: file)) }
        return object
      }
      try decode(file, &info)
      return SoundDescription(info, ending: try file.reader(of: 0).ending).object
    } catch {
      return SoundProblem(error).json
    }
  }

  /// Returns the repaired copy of a file or the reason why there is none, or nil if the file is
  /// whole.
  private static func copy(of file: SurveyedFile) -> JSONValue? {
    do throws(SoundFileError) {
      return try file.waveCopy()?.json
    } catch {
      return .object(SoundProblem(error).json)
    }
  }

  /// Decodes as much as a play decodes before its start. If the file does not state its number of
  /// frames, decodes the whole file and counts the frames.
  private static func decode(
    _ file: SurveyedFile, _ info: inout SoundFileInfo
  ) throws(SoundFileError) {
    let format = StreamFormat(rate: info.rate, channels: info.channels, sample: .float32)
    var most: FrameCount?
    if let duration = info.duration, duration > SoundMemoryLimits.longestWhole {
      most = FrameCount(SoundMemoryLimits.beginning, at: info.rate)
    }
    let decoding = SoundDecoding(name: "-", format: format, upTo: most)
    var count = 0
    try decoding.run(file) { samples in count += samples.count / info.channels.value }
    if info.frames == nil { info.frames = FrameCount(count) }
  }
}

/// The task of a process that describes open files.
struct DescribeOrder: JSONMembers, Equatable {
  /// The number of files.
  var files: Int
  /// Whether to decode as much of each file as a play decodes before its start, so that this
  /// process and a play refuse the same files.
  var isTried = false
  /// Whether to plan a repaired copy, too.
  var isRepair = false
  /// The sample format of files without a header, or nil to read the format from each file.
  var raw: StreamFormat?
  /// The processor time for the reading, in seconds, in addition to the time that every child
  /// process gets.
  var seconds = 0
  /// The requested picture, or nil if facts are requested.
  var picture: PictureOrder?
  /// The parts whose repair is requested, or nil if the files are not parts.
  var parts: [PartClue]?

  static let blank = DescribeOrder(files: 0)

  mutating func list(in form: inout JSONForm) {
    form.member("files", &files, in: 0...1_024)
    form.member("tried", &isTried)
    form.member("repair", &isRepair, or: false)
    form.member("seconds", &seconds, or: 0)
    form.member("parts", &parts)
    form.member("picture", &picture)
    form.member("raw", &raw)
    form.require(parts.map { $0.count == files } ?? true)
  }
}
