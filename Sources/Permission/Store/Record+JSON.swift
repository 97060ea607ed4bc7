internal import Linux
internal import JSON

extension Record {
  /// The record as the store holds it.
  var json: JSONValue {
    var object: JSONObject = ["state": .string(state), "at": .string(at.rfc3339)]
    object.set("by", by.rawValue)
    switch consent {
    case .denied: break
    case .forever: object.set("lifespan", "forever")
    case .timed(let limit): object.set(limit, as: "timed")
    case .once(let limit): object.set(limit, as: "once")
    }
    return .object(object)
  }

  /// Reads a record; throws for a key that its state does not use.
  init(_ object: JSONObject) throws(JSONError) {
    let time = try object.parsed("at", WallTime.init(rfc3339:))
    let origin = try object.parsed("by", Origin.init(rawValue:))
    self.init(try Self.consent(object), at: time, by: origin)
  }

  private var state: String {
    switch consent {
    case .denied: "denied"
    case .forever, .timed, .once: "authorized"
    }
  }

  private static func consent(_ object: JSONObject) throws(JSONError) -> Consent {
    switch try object.value("state", as: String.self) {
    case "denied":
      try object.requireOnly("state", "at", "by")
      return .denied
    case "authorized": return try grant(object)
    default: throw .unknown(key: "state")
    }
  }

  private static func grant(_ object: JSONObject) throws(JSONError) -> Consent {
    switch try object.value("lifespan", as: String.self) {
    case "forever":
      try object.requireOnly("state", "at", "by", "lifespan")
      return .forever
    case "timed": return .timed(try object.limit())
    case "once": return .once(try object.limit())
    default: throw .unknown(key: "lifespan")
    }
  }
}

extension JSONObject {
  fileprivate mutating func set(_ limit: Limit, as lifespan: String) {
    set("lifespan", lifespan)
    set("until", limit.until.rfc3339)
    set("boot", limit.boot)
    set("start", limit.start.nanoseconds)
    set("end", limit.end.nanoseconds)
  }

  fileprivate func limit() throws(JSONError) -> Limit {
    try requireOnly("state", "at", "by", "lifespan", "until", "boot", "start", "end")
    let start = Duration.nanoseconds(try value("start", as: Int64.self))
    let end = Duration.nanoseconds(try value("end", as: Int64.self))
    let until = try parsed("until", WallTime.init(rfc3339:))
    guard let limit = Limit(boot: try value("boot"), start: start, end: end, until: until) else {
      throw .unfit(key: "end", found: "before \"start\"", expected: "limit")
    }
    return limit
  }

  func parsed<Value>(
    _ key: String, _ parse: (String) -> Value?
  ) throws(JSONError) -> Value {
    guard let value = parse(try value(key)) else {
      throw .unfit(key: key, found: "unknown", expected: "\(Value.self)")
    }
    return value
  }
}

extension Duration {
  /// Whole nanoseconds, rounded down; at most those of an Int64, about 292 years.
  var nanoseconds: Int64 {
    Int64(clamping: attoseconds / 1_000_000_000)
  }
}
