/// A type that lists its JSON members once, for reading and for writing.
package protocol JSONMembers: JSONConvertible {
  /// The value with which reading starts. Reading replaces all members of this value.
  static var blank: Self { get }

  /// Passes each member to `form`, in the order in which the members are written.
  mutating func list(in form: inout JSONForm)
}

extension JSONMembers {
  /// Reads the members of an object. Returns nil if a required member is missing or invalid.
  package init?(json: JSONValue) {
    guard let object = json.object else { return nil }
    var form = JSONForm(reading: object)
    self = .blank
    list(in: &form)
    guard form.isFit else { return nil }
  }

  /// The object with all members, except members that are nil or have their default value.
  package var json: JSONValue {
    var (form, copy) = (JSONForm(), self)
    copy.list(in: &form)
    return .object(form.object)
  }
}

/// The members of an object that is read or written.
package struct JSONForm {
  fileprivate private(set) var object: JSONObject
  fileprivate private(set) var isFit = true
  private let isReading: Bool

  fileprivate init() { (object, isReading) = ([:], false) }

  fileprivate init(reading object: JSONObject) { (self.object, isReading) = (object, true) }

  /// Reads or writes a member that must exist.
  package mutating func member<Value: JSONConvertible>(_ key: String, _ value: inout Value) {
    member(key, &value, Value.init(json:)) { $0.json }
  }

  /// Reads or writes a member that is omitted if it has the default value `usual`.
  package mutating func member<Value: JSONConvertible & Equatable>(
    _ key: String, _ value: inout Value, or usual: Value
  ) {
    member(key, &value, or: usual, Value.init(json:)) { $0 == usual ? JSONValue?.none : $0.json }
  }

  /// Reads or writes a member that is omitted if it is nil.
  package mutating func member<Value: JSONConvertible>(_ key: String, _ value: inout Value?) {
    member(key, &value, or: .some(nil), Value.init(json:)) { $0?.json }
  }

  /// Reads or writes a member with two functions instead of `JSONConvertible`. If the member is
  /// missing or invalid, reading uses `usual`, or fails if `usual` is nil.
  package mutating func member<Value>(
    _ key: String, _ value: inout Value, or usual: Value? = nil,
    _ read: (JSONValue) -> Value?, _ write: (Value) -> JSONValue?
  ) {
    guard isReading else { return object[key] = write(value) }
    if let found = object[key].flatMap(read) ?? usual { value = found } else { isFit = false }
  }

  /// Reads or writes an integer member that must exist and be within bounds.
  package mutating func member<Value: FixedWidthInteger & JSONConvertible>(
    _ key: String, _ value: inout Value, in bounds: ClosedRange<Value>
  ) {
    member(key, &value, { $0.integer(in: bounds) }) { $0.json }
  }

  /// Reads or writes an integer member within bounds that is omitted if it is nil.
  package mutating func member<Value: FixedWidthInteger & JSONConvertible>(
    _ key: String, _ value: inout Value?, in bounds: ClosedRange<Value>
  ) {
    member(key, &value, or: .some(nil), { $0.integer(in: bounds) }) { $0?.json }
  }

  /// Writes a member that is computed from the other members. Reading ignores it.
  package mutating func derived(_ key: String, _ value: some JSONConvertible) {
    if !isReading { object.set(key, value) }
  }

  /// Makes reading fail unless a condition holds.
  package mutating func require(_ condition: Bool) { isFit = isFit && (condition || !isReading) }
}
