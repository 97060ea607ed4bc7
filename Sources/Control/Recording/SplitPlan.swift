package import JSON

/// When a take goes on in another file by itself.
package struct SplitPlan: Hashable, Sendable {
  package var length: Duration
  /// Whether files begin at multiples of the length by the local clock.
  package var isAligned: Bool

  package init(length: Duration, isAligned: Bool = false) {
    self.length = length
    self.isAligned = isAligned
  }
}

extension SplitPlan: JSONConvertible {
  package init?(json: JSONValue) {
    guard let length = json["length"].flatMap(Duration.init(json:)), length > .zero else {
      return nil
    }
    self.init(length: length, isAligned: json["isAligned"]?.bool ?? false)
  }

  package var json: JSONValue { ["length": length.json, "isAligned": isAligned.json] }
}

/// Which files of a series stay.
package enum KeepPlan: Hashable, Sendable {
  /// The newest ones.
  case count(Int)
  /// Those that ended no longer ago.
  case age(Duration)
}

extension KeepPlan: JSONConvertible {
  package init?(json: JSONValue) {
    if let count = json["count"].flatMap(Int.init(json:)), count > 0 {
      self = .count(count)
    } else if let age = json["age"].flatMap(Duration.init(json:)), age > .zero {
      self = .age(age)
    } else {
      return nil
    }
  }

  package var json: JSONValue {
    switch self {
    case .count(let count): ["count": count.json]
    case .age(let age): ["age": age.json]
    }
  }
}
