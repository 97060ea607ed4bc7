package import JSON

/// The rule by which a take starts a new file by itself.
package struct SplitPlan: Hashable, Sendable {
  /// The length of each file.
  package var length: Duration
  /// True where files begin at multiples of the length by the local clock.
  package var isAligned: Bool

  /// A rule that counts from the beginning of the take, unless aligned.
  package init(length: Duration, isAligned: Bool = false) {
    self.length = length
    self.isAligned = isAligned
  }
}

extension SplitPlan: JSONConvertible {
  /// Reads what `json` wrote; nil for a length that is not positive.
  package init?(json: JSONValue) {
    guard let length = json["length"].flatMap(Duration.init(json:)), length > .zero else {
      return nil
    }
    self.init(length: length, isAligned: json["isAligned"]?.bool ?? false)
  }

  /// The object within an output plan.
  package var json: JSONValue { ["length": length.json, "isAligned": isAligned.json] }
}

/// The files of a series that retention keeps.
package enum KeepPlan: Hashable, Sendable {
  /// The newest files, this many.
  case count(Int)
  /// The files that ended at most this long ago.
  case age(Duration)
}

extension KeepPlan: JSONConvertible {
  /// Reads what `json` wrote; nil unless the count or the age is positive.
  package init?(json: JSONValue) {
    if let count = json["count"].flatMap(Int.init(json:)), count > 0 {
      self = .count(count)
    } else if let age = json["age"].flatMap(Duration.init(json:)), age > .zero {
      self = .age(age)
    } else {
      return nil
    }
  }

  /// The object with the one member `count` or `age`.
  package var json: JSONValue {
    switch self {
    case .count(let count): ["count": count.json]
    case .age(let age): ["age": age.json]
    }
  }
}
