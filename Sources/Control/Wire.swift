internal import JSON

/// The form of the conversation: one JSON object a line, each line at most 64 KiB.
package enum Wire {
  /// The bytes of a line, its end included.
  package static let longestLine = 65_536

  static func line(_ value: JSONValue) -> [UInt8] {
    Array(value.encoded().utf8) + [UInt8(ascii: "\n")]
  }

  /// Collects what arrives and hands out whole lines.
  struct Inbox: Sendable {
    /// The line is longer than any that is accepted.
    struct LineTooLong: Error, Hashable, Sendable {}

    private var bytes: [UInt8] = []

    /// True while a line has begun and not ended.
    var isPartial: Bool { !bytes.isEmpty }

    mutating func append(_ received: ArraySlice<UInt8>) { bytes += received }

    /// The next whole line without its end, or nil until more arrives.
    mutating func next() throws(LineTooLong) -> [UInt8]? {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
        if bytes.count >= longestLine { throw LineTooLong() }
        return nil
      }
      if end >= longestLine { throw LineTooLong() }
      let line = Array(bytes[..<end])
      bytes.removeSubrange(...end)
      return line
    }
  }
}

/// The two lines between `start` and its session: the plan to the session, and the outcome of the
/// start back.
package enum StartLine {
  /// The plan as a line.
  package static func plan(_ plan: RecordingPlan) -> [UInt8] { Wire.line(plan.json) }

  /// The first frame was captured; the present state of the session.
  package static func began(_ status: RecordingStatus) -> [UInt8] {
    Wire.line(Reply.done(status.json.object ?? [:]).json(answering: 0))
  }

  /// The start was refused.
  package static func refused(_ refusal: Refusal) -> [UInt8] {
    Wire.line(Reply.refused(refusal).json(answering: 0))
  }

  /// Reads the line of the plan; nil where it is none.
  package static func plan(from line: some Collection<UInt8>) -> RecordingPlan? {
    json(line).flatMap(RecordingPlan.init(json:))
  }

  /// Reads the session's answer; nil where it is none.
  package static func answer(
    from line: some Collection<UInt8>
  ) -> Result<RecordingStatus, Refusal>? {
    switch json(line).flatMap(Reply.read)?.reply {
    case .done(let members): RecordingStatus(json: .object(members)).map { .success($0) }
    case .refused(let refusal): .failure(refusal)
    case nil: nil
    }
  }

  private static func json(_ line: some Collection<UInt8>) -> JSONValue? {
    try? JSONValue(
      decoding: String(decoding: line, as: UTF8.self), limits: JSONLimits(bytes: Wire.longestLine))
  }
}
