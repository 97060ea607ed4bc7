internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import JSON
internal import Linux

/// The facts about a part that are not in the file.
struct PartClue: Hashable, Sendable {
  /// The format by the record of its session; nil to detect it by the first bytes.
  var format: FileFormat?
  /// The stream format by that record; without it raw samples cannot be read.
  var stream: StreamFormat?
  /// The format by its name, for unknown first bytes.
  var named: FileFormat?
}

/// An open part to read, with its clue.
struct UnreadPart: Sendable {
  let file: OpenFile
  let clue: PartClue
}

/// The result of reading a part.
enum PartReading: Hashable, Sendable {
  case plan(RepairPlan)
  /// The file has no audio.
  case empty
  /// The file does not begin like a recording of this program.
  case foreign
  /// The system could not read the file.
  case failed(Errno)
  /// The reader ended early, with the reason.
  case unread(String)
}

/// A reader of the parts of dead sessions; the recovery itself only writes.
protocol PartReader: Sendable {
  /// Reads parts; the results are in their order.
  func read(_ parts: [UnreadPart]) throws(Failure) -> [PartReading]
}

/// A reader that uses child processes with almost no rights.
struct ConfinedPartReader: PartReader {
  /// The bytes per second that the slowest machine reads of a damaged file.
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
  /// Reads a part; called in the confined process.
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

  /// The format of files that begin with these bytes; nil for none.
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
