internal import JSON

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
