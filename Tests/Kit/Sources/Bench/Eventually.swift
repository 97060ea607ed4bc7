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
  var left = limit
  while try !condition() { left = try await pause(left, of: limit, "\(file):\(line)") }
}

/// Waits until an asynchronous condition is true. Throws after the time limit.
public func eventually(
  limit: Duration = .seconds(30), file: String = #fileID, line: Int = #line,
  _ condition: @Sendable () async throws -> Bool
) async throws {
  var left = limit
  while try await !condition() { left = try await pause(left, of: limit, "\(file):\(line)") }
}

/// Waits for a moment, and returns the time that is left. If another test keeps the actor busy, the
/// wait counts for at most 0.1 s, because nothing that the condition depends on ran meanwhile.
private func pause(
  _ left: Duration, of limit: Duration, _ caller: String,
  isolation: isolated (any Actor)? = #isolation
) async throws -> Duration {
  guard left > .zero else {
    throw ConditionTimedOut(
      description: "the condition at \(caller) was still false after \(limit)")
  }
  let began = ContinuousClock.now
  try await Task.sleep(for: .milliseconds(5))
  return left - min(ContinuousClock.now - began, .milliseconds(100))
}
