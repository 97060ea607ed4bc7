internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import JSON
internal import Linux

/// The facts about a part that do not stand in it.
struct PartClue: Hashable, Sendable {
  /// The format by the record of its session; nil where the first bytes have to tell.
  var format: FileFormat?
  /// The form of the samples by that record, without which raw ones cannot be told.
  var stream: StreamFormat?
  /// The format by its name, where the first bytes tell nothing.
  var named: FileFormat?
}

/// An open part to read, and what is known of it.
struct UnreadPart: Sendable {
  let file: OpenFile
  let clue: PartClue
}

/// The answer of whoever read a part.
enum PartReading: Hashable, Sendable {
  case plan(RepairPlan)
  /// No audio reached it.
  case empty
  /// It does not begin as a recording of ours does.
  case foreign
  /// The system gave its bytes to nobody.
  case failed(Errno)
  /// It was not read to its end, with the reason.
  case unread(String)
}

/// A reader of the parts of dead sessions; whoever recovers them writes, and reads nothing of them.
protocol PartReader: Sendable {
  /// Reads parts and answers in their order.
  func read(_ parts: [UnreadPart]) throws(Failure) -> [PartReading]
}

/// A reader that leaves the reading to children which can do hardly anything else.
struct ConfinedPartReader: PartReader {
  /// The bytes a second that the slowest machine reads of a damaged file.
  private static let slowestBytes: Int64 = 1_000_000

  func read(_ parts: [UnreadPart]) throws(Failure) -> [PartReading] {
    try SoundReading.all(parts.count, .unread(SoundReading.broken)) { rest throws(Failure) in
      let parts = parts[rest]
      let order = DescribeOrder(parts: parts.map(\.clue))
      return try SoundReading.lines(
        about: parts.map(\.file), order, bytesASecond: Self.slowestBytes
      ).map(PartReading.init(line:))
    }
  }
}

extension PartClue {
  /// Reads a part; for the process that may do nothing else.
  func reading(of part: consuming Descriptor) -> PartReading {
    do throws(SoundFileError) {
      let file = try CheckedFile(part, named: "-")
      guard file.end > 0 else { return .empty }
      let head = try file.bytes(at: 0, upTo: 4)
      guard let found = format ?? Self.format(of: head) ?? named else { return .foreign }
      return try file.repairPlan(as: found, stream: stream).map(PartReading.plan) ?? .empty
    } catch {
      if case .system(let cause) = error { return .failed(cause.errno) }
      return .foreign
    }
  }

  /// The format whose files begin so.
  private static func format(of head: [UInt8]) -> FileFormat? {
    let known: [(String, FileFormat)] = [
      ("RIFF", .wav), ("RF64", .wav), ("fLaC", .flac), ("OggS", .opus),
    ]
    return known.first { head.elementsEqual($0.0.utf8) }?.1
  }
}

extension PartClue: JSONConvertible {
  init?(json: JSONValue) {
    guard json.object != nil else { return nil }
    format = json["format"]?.string.flatMap(FileFormat.init(rawValue:))
    stream = json["stream"].flatMap(StreamFormat.init(json:))
    named = json["named"]?.string.flatMap(FileFormat.init(rawValue:))
  }

  var json: JSONValue {
    var members: JSONObject = [:]
    members.set("format", format?.rawValue)
    members.set("stream", stream)
    members.set("named", named?.rawValue)
    return .object(members)
  }
}
