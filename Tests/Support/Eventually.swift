import Linux
import Testing

/// The error for a condition that did not become true within its limit.
package struct ConditionTimedOut: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until a condition is true. Throws after the limit.
package func eventually(
  limit: Duration = .seconds(30), _ condition: () throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  guard try comesTrue(within: limit, condition) else {
    throw ConditionTimedOut(
      description: "the condition at \(sourceLocation) was still false after \(limit)")
  }
}

/// Polls a condition every 10 ms, and returns whether it came true within the limit.
package func comesTrue(
  within limit: Duration = .seconds(30), _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = KernelClock.monotonic.now + limit
  while true {
    if try condition() { return true }
    guard KernelClock.monotonic.now < deadline else { return false }
    KernelClock.sleep(.milliseconds(10))
  }
}
