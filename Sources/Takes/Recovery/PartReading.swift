package import Audio
internal import Control
package import Files
package import JSON
package import Linux

/// The facts about a part that are not in the file.
package struct PartClue: Hashable, Sendable {
  /// The file format in the session's record, or nil to detect it from the first bytes.
  package var format: FileFormat?
  /// The stream format in the session's record, or nil if it is unknown. Raw samples cannot be read
  /// without it.
  package var stream: StreamFormat?
  /// The file format for the extension of the name. It is used if neither the record nor the first
  /// bytes show the format.
  package var named: FileFormat?
  /// The largest number of frames to keep.
  package var most = FrameCount.most

  /// A clue with the known facts.
  package init(format: FileFormat? = nil, stream: StreamFormat? = nil, named: FileFormat? = nil) {
    self.format = format
    self.stream = stream
    self.named = named
  }
}

/// An open part that is to be read, with its clue.
package struct UnreadPart: Sendable {
  /// The part, open for reading only.
  package let file: OpenFile
  /// The facts that are not in the file.
  package internal(set) var clue: PartClue
}

/// The result of reading a part.
package enum PartReading: Hashable, Sendable {
  case plan(RepairPlan)
  /// The file has no audio.
  case empty
  /// The file does not begin like a recording of this program.
  case foreign
  /// The system could not read the file.
  case failed(Errno)
  /// The part reader failed. The value is the reason, or nil if the part reader crashed.
  case unread(String?)
}

/// A reader of the parts of dead sessions.
///
/// A part may come from any user, and may be crafted to crash its reader. So the recovery does not
/// parse parts itself, and the program decides which process reads them.
package protocol PartReader: Sendable {
  /// Reads parts; returns the results in the same order.
  func read(_ parts: [UnreadPart]) throws -> [PartReading]
}

extension PartClue {
  /// Whether reading the part may need a decoding library. True also if the format is unknown.
  package var isEncoded: Bool { !((format ?? named)?.isUncompressed ?? false) }

  /// Reads a part in this process.
  package func reading(of part: consuming Descriptor) -> PartReading {
    do throws(SoundFileError) {
      let file = try CheckedFile(part, named: "-")
      guard file.end > 0 else { return .empty }
      let head = try file.bytes(at: 0, upTo: 4)
      guard let found = format ?? Self.format(of: head) ?? named else { return .foreign }
      let plan = try SoundFileRepair.plan(for: file, as: found, stream: stream, upTo: most)
      return plan.map(PartReading.plan) ?? .empty
    } catch {
      if case .system(let cause) = error { return .failed(cause.errno) }
      return .foreign
    }
  }

  /// Returns the format of files that begin with these bytes, or nil if the bytes are unknown.
  private static func format(of head: [UInt8]) -> FileFormat? {
    let known: [(String, FileFormat)] = [
      ("RIFF", .wav), ("RF64", .wav), ("fLaC", .flac), ("OggS", .opus), ("caff", .caf),
      ("FORM", .aiff),
    ]
    return known.first { head.elementsEqual($0.0.utf8) }?.1
  }
}

extension PartClue: JSONMembers {
  /// A placeholder clue. Reading JSON replaces its members.
  package static var blank: PartClue { PartClue() }

  /// Lists the members of the object for the process that reads the part.
  package mutating func list(in form: inout JSONForm) {
    form.member("format", &format)
    form.member("stream", &stream)
    form.member("named", &named)
    form.member("most", &most, or: .most)
  }
}

extension PartReading {
  /// Decodes a line from the process that has read a part. A crafted part may have taken control of
  /// that process, so only the expected members of the line are used.
  ///
  /// - Parameter most: the largest number of bytes in a line.
  package init(line: ArraySlice<UInt8>, upTo most: Int) {
    let json = try? JSONValue(decoding: Array(line).span, limits: JSONLimits(bytes: most))
    self = json?.object.flatMap { PartReading($0) } ?? .unread(nil)
  }

  private init?(_ object: JSONObject) {
    if let reason = object["problem"]?.string {
      self = .unread(reason)
      return
    }
    if let plan = object["plan"] {
      guard let plan = RepairPlan(json: plan) else { return nil }
      self = .plan(plan)
      return
    }
    if let number = object["errno"].flatMap(Int32.init(json:)) {
      self = .failed(Errno(rawValue: number))
      return
    }
    guard let word = object["found"]?.string else { return nil }
    self = word == "nothing" ? .empty : .foreign
  }

  /// The object that `init(line:upTo:)` decodes.
  package var object: JSONObject {
    switch self {
    case .plan(let plan): ["plan": plan.json]
    case .empty: ["found": "nothing"]
    case .foreign: ["found": "foreign"]
    case .failed(let errno): ["errno": errno.rawValue.json]
    case .unread(let reason): ["problem": reason?.json ?? .null]
    }
  }
}

/// The JSON of a repair plan, as the reader of a part sends it.
extension RepairPlan: JSONMembers {
  /// A placeholder plan. Reading JSON replaces its members.
  package static var blank: RepairPlan {
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .int16)
    return RepairPlan(.wav, stream, frames: 0)
  }

  /// Lists the numbers of the plan.
  package mutating func list(in form: inout JSONForm) {
    form.member("format", &format)
    form.member("stream", &stream)
    form.member("frames", &frames.value)
    form.member("end", &end)
    form.member("patch", &patch)
    form.member("intact", &isIntact)
    form.member("gap", &hasGap)
  }
}

extension FilePatch: JSONMembers {
  /// A placeholder patch. Reading JSON replaces its members.
  package static var blank: FilePatch { FilePatch(offset: 0, bytes: []) }

  /// Lists the offset and the bytes.
  package mutating func list(in form: inout JSONForm) {
    form.member("offset", &offset)
    form.member("bytes", &bytes)
  }
}
