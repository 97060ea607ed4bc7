internal import Control
internal import JSON
internal import Linux

/// The recordings of this user, as the commands reach them.
struct SessionLink {
  let shelf: SessionShelf

  init() throws(Failure) {
    do throws(DirectoryRefusal) {
      shelf = SessionShelf(try SessionPlaces.current())
    } catch {
      throw Failure(.failed, Message("a directory of recorder cannot be used: \(error)"))
    }
  }

  /// Asks the session of a name; nil where there is none.
  func ask(
    _ name: SessionName, _ verb: String, _ arguments: JSONObject = [:],
    waitingUpTo limit: Duration? = .seconds(5)
  ) throws(Failure) -> JSONObject? {
    do throws(ControlError) {
      var client = try ControlClient(connectingTo: shelf.places.socket(of: name))
      return try client.ask(verb, arguments, waitingUpTo: limit)
    } catch {
      switch error {
      case .refused(let refusal): throw Failure(refusal)
      case .notRunning, .closed: return nil
      default: throw Self.silent(name, error)
      }
    }
  }

  /// The same, with a failure where there is no such recording.
  func obey(
    _ name: SessionName, _ verb: String, _ arguments: JSONObject = [:]
  ) throws(Failure) -> RecordingStatus {
    guard let answer = try ask(name, verb, arguments) else { throw Self.absent(name) }
    guard let status = RecordingStatus(json: .object(answer)) else { throw Self.newer(name) }
    return status
  }

  /// Waits for the end of a recording, having asked for it by `verb`, and takes its result.
  func result(of name: SessionName, asking verb: String) throws(Failure) -> RecordingResult {
    let answer = try ask(name, verb, waitingUpTo: nil)
    if let result = answer.flatMap({ RecordingResult(json: .object($0)) }) {
      shelf.consume(result, of: name)
      // The process ends now; whoever starts one of the same name does not have to wait.
      _ = try? shelf.lock(name, waitingUpTo: .seconds(1))
      return result
    }
    // It may be between its last word and its end, or have lost its socket.
    _ = try? shelf.lock(name, waitingUpTo: .seconds(5))
    guard let result = shelf.result(of: name) else { throw Self.absent(name) }
    shelf.consume(result, of: name)
    return result
  }

  /// What every session does now; one that does not answer is left out, and told.
  func statuses(_ console: Console) -> [RecordingStatus] {
    shelf.records.compactMap { record in
      guard let name = SessionName(record.name) else { return nil }
      do throws(Failure) {
        return try ask(name, "status").flatMap { RecordingStatus(json: .object($0)) }
      } catch {
        console.warn(error.message)
        return nil
      }
    }
  }

  /// The recordings whose sessions died.
  func interrupted() -> [SessionRecord] {
    let dead = shelf.records.filter { record in
      guard record.isLeft, let name = SessionName(record.name) else { return false }
      return !shelf.isLive(name)
    }
    return dead + shelf.setAside
  }

  static func absent(_ name: SessionName) -> Failure {
    Failure(
      .notFound,
      Message(
        "no recording \(quoted(name.text))", advice: "\"recorder status\" lists what records"))
  }

  private static func newer(_ name: SessionName) -> Failure {
    Failure(
      .failed,
      Message(
        "\(quoted(name.text)) is recorded by another version of recorder",
        advice: "\"recorder stop \(name.text)\" ends it"))
  }

  private static func silent(_ name: SessionName, _ error: ControlError) -> Failure {
    Failure(.failed, Message("the recording \(quoted(name.text)) does not answer: \(error)"))
  }
}

extension Failure {
  /// What the other end of a socket said.
  init(_ refusal: Refusal) {
    self.init(
      ExitCode(rawValue: refusal.exit) ?? .failed,
      Message(
        printable(refusal.message),
        advice: (refusal.advice ?? "").split(separator: "\n").map { printable(String($0)) }))
  }
}
