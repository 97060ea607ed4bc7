internal import Control
package import Linux
internal import Permission

/// A value that is written with the units of a duration.
package protocol DurationValue: ArgumentValue {}

extension DurationValue {
  /// True, because `1 h` as two words is a duration with its unit.
  package static var hasUnit: Bool { true }

  /// Returns the corrections of a number. Other names of units, such as `min`, are replaced with
  /// those of recorder.
  package static func corrections(of text: String) -> [String] {
    Misspelling.durations(text)
  }
}

extension Duration: DurationValue {
  /// The placeholder for a duration in the help.
  package static var placeholder: String { "TIME" }
  /// The accepted values, for the help and for error messages.
  package static var expectation: String { "a duration such as 90, 1m30s, 2h or 1:30" }

  private static var units: [(name: String, nanoseconds: Int64)] {
    [
      ("w", 604_800_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000),
      ("ms", 1_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
    ]
  }

  /// Reads seconds such as `90`, numbers with units such as `1.5s` or `1h30m`, or `1:30`. Larger
  /// units come first, and each unit occurs at most once. Throws for text of another form, or a
  /// duration that is too long.
  package init(argument: String) throws(ValueError) {
    let parts = argument.split(separator: Character(":"), omittingEmptySubsequences: false)
    self = try parts.count == 1 ? Self(units: argument) : Self(clock: parts)
  }

  /// Reads a duration that ends with a unit. Throws for a number without a unit, because it could
  /// mean seconds or days.
  fileprivate init(withUnit argument: String) throws(ValueError) {
    guard argument.last?.isLetter == true else { throw .malformed }
    try self.init(argument: argument)
  }

  /// Reads hours, minutes and seconds in the form of `clock`: `1:30`, `0:00.5`, `1:01:40`. Throws
  /// for text of another form, or a duration that is too long.
  private init(clock parts: [Substring]) throws(ValueError) {
    guard parts.count <= 3 else { throw .malformed }
    var total = Int64(0)
    for (index, part) in parts.enumerated() {
      let (isFirst, isLast) = (index == 0, index == parts.count - 1)
      var rest = part
      guard let number = DecimalText(takingFrom: &rest), rest.isEmpty, number.isWhole || isLast,
        isFirst || part.prefix(while: \.isDecimalDigit).count == 2,
        let value = number.scaled(by: 1_000_000_000), isFirst || value < 60_000_000_000
      else { throw .malformed }
      let (product, overflow) = total.multipliedReportingOverflow(by: 60)
      total = product
      if overflow || total.addOverflows(value) { throw .tooLong }
    }
    self = .nanoseconds(total)
  }

  private init(units argument: String) throws(ValueError) {
    var rest = argument[...]
    var total: Int64 = 0
    var smallest = Int64.max
    repeat {
      guard let number = DecimalText(takingFrom: &rest) else { throw .malformed }
      let unit = try Self.takeUnit(from: &rest, alone: smallest == .max)
      guard unit < smallest, number.isWhole || rest.isEmpty else { throw .malformed }
      guard let part = number.scaled(by: unit), !total.addOverflows(part) else {
        throw .tooLong
      }
      smallest = unit
    } while !rest.isEmpty
    self = .nanoseconds(total)
  }

  /// Removes the unit at the front and returns its nanoseconds. A number without a unit means
  /// seconds, but only if it is the only number.
  private static func takeUnit(
    from rest: inout Substring, alone: Bool
  ) throws(ValueError) -> Int64 {
    if rest.isEmpty && alone { return 1_000_000_000 }
    for unit in units where rest.begins(with: unit.name) {
      rest.removeFirst(unit.name.count)
      return unit.nanoseconds
    }
    throw .malformed
  }
}

extension Int64 {
  /// Adds a number to this one. If the sum would overflow, nothing is added and true is returned.
  fileprivate mutating func addOverflows(_ other: Int64) -> Bool {
    let (sum, overflow) = addingReportingOverflow(other)
    if !overflow { self = sum }
    return overflow
  }
}

extension ValueError {
  fileprivate static var tooLong: ValueError {
    .outOfRange("the longest duration is 106751 days")
  }
}

/// The duration of a limited grant, from 10 seconds to 30 days.
package struct GrantLength: DurationValue, Hashable {
  /// The duration, within `GrantTerm.range`.
  package let duration: Duration

  /// The placeholder for a duration in the help.
  package static let placeholder = Duration.placeholder
  /// The accepted values, for the help and for error messages.
  package static let expectation = Duration.expectation
  static let limits = "a grant lasts from 10s to 30d"

  /// Reads a duration. Throws `outOfRange` for a duration that no grant can have.
  package init(argument: String) throws(ValueError) {
    duration = try Duration(argument: argument)
    guard GrantTerm.range.contains(duration) else { throw .outOfRange(Self.limits) }
  }
}

/// A time of the local clock, with or without its day.
package struct LocalMoment: ArgumentValue, Hashable {
  /// The time as typed: `18:00` or `2026-03-01T18:00`.
  package let text: String

  /// The placeholder for a time in the help.
  package static let placeholder = "WHEN"
  /// The accepted values, for the help and for error messages.
  package static let expectation = "a time such as 18:00 or 2026-03-01T18:00"

  /// Reads the text and checks only its form. The moment itself depends on the time zone and on the
  /// current time.
  package init(argument: String) throws(ValueError) {
    let shape = argument.map { $0.isDecimalDigit ? "0" : String($0) }.joined()
    switch shape {
    case "00:00", "0000-00-00T00:00": text = argument
    case "0:00": text = "0" + argument
    default: throw .malformed
    }
  }

  /// Returns the moment. For a time without a day, it is the next moment when the clock shows this
  /// time. Returns nil if there is no such moment.
  package func next(after now: WallTime) -> WallTime? {
    let days = text.contains("T") ? [] : (0...2).compactMap { now.day(after: $0) }
    let times = days.isEmpty ? [text] : days.map { "\($0)T\(text)" }
    let moments = times.flatMap(WallTime.moments(local:))
    return moments.first { $0 > now } ?? moments.last
  }
}

extension WallTime {
  /// Returns the local day that is `days` days after this moment, as `2026-03-01`.
  fileprivate func day(after days: Int) -> String? {
    // The calculation starts at noon. Every day has a noon, and from there a change of the clock
    // cannot lead to another day.
    let noon = local("%Y-%m-%dT12:00").flatMap { WallTime(local: $0) }
    return noon.flatMap {
      WallTime(sinceEpoch: $0.sinceEpoch + .seconds(days * 86_400)).local("%Y-%m-%d")
    }
  }
}

/// The rule that decides which files of a series are kept: a number of files, or an age.
struct Retention: DurationValue, Hashable {
  let plan: KeepPlan

  static let placeholder = "N|AGE"
  static let expectation = "a number of files such as 24, or an age with its unit such as 7d"

  init(argument: String) throws(ValueError) {
    if argument.allSatisfy(\.isNumber) {
      guard let count = Int(argument) else { throw .malformed }
      guard count > 0 else { throw .outOfRange("keep at least 1 file") }
      plan = .count(count)
    } else {
      let age = try Duration(withUnit: argument)
      guard age > .zero else { throw .outOfRange("an age must be more than 0") }
      plan = .age(age)
    }
  }
}

/// A moment in the past: a duration ago, a day, or a time with or without a day.
struct PastMoment: DurationValue, Hashable {
  private enum Form: Hashable {
    case ago(Duration)
    case day(String)
    case daysAgo(Int)
    /// The last day with this number in the week, which can be today; 0 is Sunday.
    case weekday(Int)
    case moment(String)
    case time(LocalMoment)
  }

  private let form: Form

  /// Whether the user typed a time of the clock.
  private var isTime: Bool {
    switch form {
    case .moment, .time: true
    case .ago, .day, .daysAgo, .weekday: false
    }
  }

  static let placeholder = "WHEN"
  static let expectation =
    "a time ago such as 3d or 2h, a day such as 2026-03-01, today, yesterday or "
    + "monday, or a time such as 18:00"

  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  init(argument: String) throws(ValueError) {
    let shape = argument.map { $0.isDecimalDigit ? "0" : String($0) }.joined()
    switch shape {
    case "today": form = .daysAgo(0)
    case "yesterday": form = .daysAgo(1)
    case "0000-00-00": form = .day(argument)
    case "0000-00-00T00:00": form = .moment(argument)
    case "00:00", "0:00": form = .time(try LocalMoment(argument: argument))
    default:
      if let day = Self.weekdays.firstIndex(of: argument.lowercased()) {
        form = .weekday(day)
        return
      }
      form = .ago(try Duration(withUnit: argument))
    }
  }

  /// Returns the moment as the time since 1970, or nil for a day or a time that does not exist.
  ///
  /// - Parameter isEnd: whether a day without a time means the end of that day.
  func sinceEpoch(now: WallTime, isEnd: Bool = false) -> Duration? {
    switch form {
    case .ago(let duration): now.sinceEpoch - duration
    case .moment(let text): WallTime(local: text)?.sinceEpoch
    case .day(let day): Self.edge(of: day, isEnd: isEnd)
    case .daysAgo(let days): Self.edge(of: now, daysAgo: days, isEnd: isEnd)
    case .weekday(let day):
      now.local("%w").flatMap { Int($0) }.flatMap {
        Self.edge(of: now, daysAgo: ($0 - day + 7) % 7, isEnd: isEnd)
      }
    case .time(let time):
      now.day(after: 0).flatMap { WallTime(local: "\($0)T\(time.text)") }?.sinceEpoch
    }
  }

  /// Returns the moment of an option as the time since 1970, or nil if the option was not given.
  /// Throws for a day or a time that does not exist.
  static func sinceEpoch(
    _ given: PastMoment?, of option: String, isEnd: Bool = false
  ) throws -> Duration? {
    guard let given else { return nil }
    if let moment = given.sinceEpoch(now: .now, isEnd: isEnd) { return moment }
    throw Failure(.usage, "\(option): that \(given.isTime ? "time" : "day") does not exist")
  }

  /// Returns the first moment of a local day. If the clock is set forward at midnight, the day
  /// begins at one o'clock.
  private static func midnight(of day: String) -> WallTime? {
    WallTime(local: day + "T00:00") ?? WallTime(local: day + "T01:00")
  }

  private static func edge(of now: WallTime, daysAgo days: Int, isEnd: Bool) -> Duration? {
    now.day(after: -days).flatMap { edge(of: $0, isEnd: isEnd) }
  }

  /// Returns the beginning or the end of a local day. A day may have 23 or 25 hours.
  private static func edge(of day: String, isEnd: Bool) -> Duration? {
    let begin = midnight(of: day)
    return (isEnd ? begin?.day(after: 1).flatMap(midnight) : begin)?.sinceEpoch
  }
}
