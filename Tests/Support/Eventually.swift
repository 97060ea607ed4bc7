import Linux
import Testing

/// A condition that did not come true within its limit.
package struct ConditionTimedOut: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until a condition is true, and throws once the limit is over.
package func eventually(
  limit: Duration = .seconds(30), _ condition: () throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let deadline = KernelClock.monotonic.now + limit
  while try !condition() {
    guard KernelClock.monotonic.now < deadline else {
      throw ConditionTimedOut(
        description: "the condition at \(sourceLocation) was still false after \(limit)")
    }
    KernelClock.sleep(.milliseconds(10))
  }
}
