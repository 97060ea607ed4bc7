package import Linux

/// A moment by the local clock, with or without its day.
package struct LocalMoment: ArgumentValue, Hashable {
  /// The time as typed: `18:00` or `2026-03-01T18:00`.
  package let text: String

  /// The name of a time in the help.
  package static let placeholder = "TIME"
  /// Shown in the help and for an invalid time.
  package static let expectation = "a time such as 18:00 or 2026-03-01T18:00"

  /// Checks the form only; the moment itself depends on the time zone and on the present time.
  package init(argument: String) throws(ValueError) {
    let shape = argument.map { $0.isDecimalDigit ? "0" : String($0) }.joined()
    guard ["00:00", "0000-00-00T00:00"].contains(shape) else { throw .malformed }
    text = argument
  }

  /// The moment, or the next one at which the clock shows it; nil if there is none.
  package func next(after now: WallTime) -> WallTime? {
    if text.contains("T") { return WallTime(local: text) }
    for days in 0...2 {
      // From noon, which every day has, so that no change of the clock skips a day.
      guard let noon = now.local("%Y-%m-%dT12:00").flatMap({ WallTime(local: $0) }),
        let day = WallTime(sinceEpoch: noon.sinceEpoch + .seconds(days * 86_400)).local("%Y-%m-%d"),
        let moment = WallTime(local: "\(day)T\(text)")
      else { continue }
      if moment > now { return moment }
    }
    return nil
  }
}
