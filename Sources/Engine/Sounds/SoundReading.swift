internal import CommandLine
internal import Control
internal import Decoding
internal import Files
internal import JSON
internal import Linux

/// Reads the facts of sound files in child processes: a crash of a reader breaks nothing else.
enum SoundReading {
  /// The contents of a file, or the reason why they cannot be read.
  enum Answer: Equatable {
    case described(SoundDescription)
    case problem(SoundProblem)
  }

  /// The most bytes that a child may write for one file.
  private static let longest = 1 << 20

  /// Describes files in their order; the caller keeps within the files that a process may open.
  static func describe(_ files: [OpenFile]) throws(Failure) -> [Answer] {
    var answers: [Answer] = []
    while answers.count < files.count {
      let rest = Array(files[answers.count...])
      let order = DescribeOrder(files: rest.count)
      answers += try answersOfChild(rest, order).prefix(rest.count)
      // The file at which the child crashed.
      if answers.count < files.count { answers.append(.problem(broken)) }
    }
    return answers
  }

  /// Describes one file, and refuses it where a play would refuse it before its start.
  static func examine(_ file: OpenFile, measuringLevels: Bool) throws(Failure) -> Answer {
    let order = DescribeOrder(files: 1, isTried: true, measuresLevels: measuringLevels)
    return try answersOfChild([file], order).first ?? .problem(broken)
  }

  private static let broken = SoundProblem("its reader broke on it")

  /// The answers of one child, fewer than the files where one of them crashed it.
  private static func answersOfChild(
    _ files: [OpenFile], _ order: DescribeOrder
  ) throws(Failure) -> [Answer] {
    do throws(SystemError) {
      let ends = try Descriptor.pipe().release()
      let reading = Descriptor(owning: ends.reading)
      let writing = Descriptor(owning: ends.writing)
      let child = try DecoderConfinement.start(
        DescribeCommand.words + [order.json.encoded()],
        [nil, writing.number, nil] + files.map { $0.descriptor.number })
      _ = consume writing
      if order.isTried { try? DecoderConfinement.extend(child, by: longestLook(at: files)) }
      let text = try reading.readAll(upTo: files.count * longest)
      _ = try child.wait()
      return text.split(separator: UInt8(ascii: "\n")).map(answer)
    } catch {
      throw Failure(.failed, Message("cannot read what sounds hold: \(error)"))
    }
  }

  /// The time limit, longer than a scan of every sample takes: the smaller a file, the fewer it can
  /// hold.
  private static func longestLook(at files: [OpenFile]) -> Duration {
    let bytes = files.reduce(0) { $0 + (((try? $1.descriptor.status())?.size) ?? 0) }
    return .seconds(bytes / slowestBytes)
  }

  /// The bytes per second of the lowest bit rate.
  private static let slowestBytes: Int64 = 500

  private static func answer(_ line: ArraySlice<UInt8>) -> Answer {
    let limits = JSONLimits(bytes: longest)
    guard let json = try? JSONValue(decoding: Array(line).span, limits: limits),
      let object = json.object
    else { return .problem(broken) }
    if let problem = SoundProblem(object) { return .problem(problem) }
    return SoundDescription(object).map(Answer.described) ?? .problem(broken)
  }
}

/// An open file that several owners share.
final class OpenFile: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Opens a sound file; refuses a directory, a pipe or a device without waiting for it.
  init(sound path: String) throws(Failure) {
    do throws(SystemError) {
      let file = try Descriptor(opening: path, .nonBlocking)
      if try file.status().kind == .regular {
        descriptor = file
        return
      }
    } catch {
      throw Failure(reading: path, .system(error))
    }
    throw Failure(reading: path, .notRegular(subject: path))
  }
}
