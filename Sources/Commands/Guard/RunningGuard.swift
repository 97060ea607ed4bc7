internal import Control
internal import Guard
internal import JSON
internal import Linux
internal import Permission

/// The requests to the running guard, and the prompt about a program.
enum RunningGuard {
  /// Connects to the guard. Throws if none runs.
  static func client() throws -> ControlClient {
    guard let client = try connected() else {
      throw Failure(
        .notFound, "no guard is running", advice: "\"recorder guard on\" starts one")
    }
    return client
  }

  /// Connects to the guard, or returns nil if none runs.
  static func connected() throws -> ControlClient? {
    do {
      return try GuardSocket.client()
    } catch let error as ControlError {
      throw Failure(asking: program, error)
    }
  }

  /// Returns the answer of a guard to a request.
  static func ask(
    _ client: inout ControlClient, _ verb: GuardVerb, _ arguments: JSONObject = [:]
  ) throws(Failure) -> JSONObject {
    do throws(ControlError) {
      return try client.ask(verb.rawValue, arguments)
    } catch {
      throw Failure(asking: program, error)
    }
  }

  /// Returns the next event of a guard.
  static func event(of client: inout ControlClient) throws(Failure) -> JSONObject {
    do throws(ControlError) {
      return try client.nextEvent()
    } catch .closed {
      throw Failure(
        .failed, "the guard has ended", advice: "\"recorder guard status\" shows what applies now")
    } catch {
      throw Failure(asking: program, error)
    }
  }

  private static let program = "the guard"

  /// Returns the status, or nil if no guard runs.
  static func status() throws -> GuardStatus? {
    guard var client = try connected() else { return nil }
    return try status(ask(&client, .status))
  }

  /// Asks the user about a program, in the controlling terminal.
  static func ask(
    _ title: String, _ service: Service, _ device: String, _ client: Client?
  ) throws -> PromptAnswer {
    let account = try MicrophoneAccess.authority().account
    while true {
      let terminal = try Terminal.controlling()
      let width = Terminal.size(of: terminal.number)?.columns
      let question = Question(
        program: printable(title), services: [service], device: device,
        client: client ?? .everyone, user: account.label, width: width ?? textWidth)
      let ending = try Prompt(on: terminal, limit: GuardQuestion.patience).ask(question)
      switch ending {
      case .answered(let answer): return answer
      case .interrupted(let signal): try? signal.send(to: Environment.processIdentifier)
      }
    }
  }

  /// Reads the status in an answer of the guard.
  static func status(_ answer: JSONObject) throws -> GuardStatus {
    guard let status = GuardStatus(json: .object(answer)) else {
      throw Failure(
        .failed, "the running guard is from another version of recorder",
        advice: "end it with \"recorder guard off\", and start it again")
    }
    return status
  }
}
