import Foundation

/// A condition that was still false after its time limit.
public struct ConditionTimedOut: Error, CustomStringConvertible {
  public let description: String
}

/// Waits until a condition is true. Throws after the time limit.
public func eventually(
  limit: Duration = .seconds(30), file: String = #fileID, line: Int = #line,
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try !condition() { try await pause(until: deadline, limit, "\(file):\(line)") }
}

/// Waits until an asynchronous condition is true. Throws after the time limit.
public func eventually(
  limit: Duration = .seconds(30), file: String = #fileID, line: Int = #line,
  _ condition: @Sendable () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() { try await pause(until: deadline, limit, "\(file):\(line)") }
}

private func pause(
  until deadline: ContinuousClock.Instant, _ limit: Duration, _ caller: String
) async throws {
  guard ContinuousClock.now < deadline else {
    throw ConditionTimedOut(
      description: "the condition at \(caller) was still false after \(limit)")
  }
  try await Task.sleep(for: .milliseconds(5))
}
