internal import CommandLine
internal import Control
internal import JSON
internal import Linux

/// Reads what sound files say of themselves in children: what breaks a reader breaks nothing else.
enum SoundReading {
  /// What a file holds, or why that cannot be told.
  enum Answer: Equatable {
    case described(SoundDescription)
    case problem(String)
  }

  /// The most that a child may say of one file.
  private static let longest = 1 << 20

  /// Describes files in their order; no more of them at once than a process may have open.
  static func describe(_ files: [OpenFile]) throws(Failure) -> [Answer] {
    var answers: [Answer] = []
    while answers.count < files.count {
      let rest = Array(files[answers.count...])
      answers += try answersOfChild(rest).prefix(rest.count)
      // The one at which the child broke.
      if answers.count < files.count { answers.append(.problem("its reader broke on it")) }
    }
    return answers
  }

  /// The answers of one child, which are fewer than the files where one of those broke it.
  private static func answersOfChild(_ files: [OpenFile]) throws(Failure) -> [Answer] {
    do throws(SystemError) {
      let ends = try Descriptor.pipe().release()
      let reading = Descriptor(owning: ends.reading)
      let writing = Descriptor(owning: ends.writing)
      let child = try DecoderConfinement.start(
        DescribeCommand.words + ["\(files.count)"],
        [nil, writing.number, nil] + files.map { $0.descriptor.number })
      _ = consume writing
      let text = try reading.readAll(upTo: files.count * longest)
      _ = try child.wait()
      return text.split(separator: UInt8(ascii: "\n")).map(answer)
    } catch {
      throw Failure(.failed, Message("cannot read what sounds hold: \(error)"))
    }
  }

  private static func answer(_ line: ArraySlice<UInt8>) -> Answer {
    let limits = JSONLimits(bytes: longest)
    guard let json = try? JSONValue(decoding: Array(line).span, limits: limits),
      let object = json.object
    else { return .problem("nothing can be told of it") }
    if let problem = object["problem"]?.string { return .problem(problem) }
    return SoundDescription(object).map(Answer.described) ?? .problem("nothing can be told of it")
  }
}

/// An open file that several hold.
final class OpenFile: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}
