internal import CommandLine
internal import Control
internal import Linux

/// The connection of a session to the command that started it, until it has begun or failed.
final class StartChannel {
  private var connection: Descriptor?

  init(_ connection: consuming Descriptor) { self.connection = .some(connection) }

  /// Reads the plan.
  static func plan(from connection: borrowing Descriptor) throws(Failure) -> RecordingPlan {
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    do throws(SystemError) {
      while line.last != UInt8(ascii: "\n"), line.count < Wire.longestLine {
        guard try connection.wait(upTo: .seconds(5)) else { break }
        let count = try connection.readIfReady(into: &chunk) ?? 0
        if count == 0 { break }
        line += chunk[..<count]
      }
    } catch {
      throw Failure(.failed, Message("cannot read the plan: \(error)"))
    }
    guard let plan = StartLine.plan(from: line.dropLast()) else {
      throw Failure(
        .failed,
        Message(
          "this program is started by recorder itself, with a plan",
          advice: "use \"recorder start\""))
    }
    return plan
  }

  /// Reports the begin; false where the command has gone.
  func began(_ status: RecordingStatus) -> Bool { tell(StartLine.began(status)) }

  /// Reports the failure to begin; does nothing after the begin.
  func refuse(_ failure: Failure) { _ = tell(StartLine.refused(Refusal(failure))) }

  private func tell(_ line: [UInt8]) -> Bool {
    guard let channel = connection.take() else { return true }
    return (try? channel.writeAll(line.span)) != nil
  }
}
