/// Numbers from files and sockets, whose writer may be anybody.
///
/// Each is taken through here before anything is calculated with it, with bounds within which
/// nothing overflows.
extension JSONValue {
  /// The number, where it is an integer within bounds.
  package func integer(in bounds: ClosedRange<Int64>) -> Int64? {
    integer.flatMap { bounds.contains($0) ? $0 : nil }
  }

  /// The same as another type of integer, which holds all of the bounds.
  package func integer<Value: FixedWidthInteger>(in bounds: ClosedRange<Value>) -> Value? {
    integer.flatMap(Value.init(exactly:)).flatMap { bounds.contains($0) ? $0 : nil }
  }

  /// The number of either kind, where it is within bounds.
  package func number(in bounds: ClosedRange<Double>) -> Double? {
    number.flatMap { bounds.contains($0) ? $0 : nil }
  }
}
