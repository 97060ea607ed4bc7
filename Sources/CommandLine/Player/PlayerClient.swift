internal import Control
internal import JSON
internal import Linux
internal import Store

/// The commands' client of this user's player.
struct PlayerClient: ~Copyable {
  private var client: ControlClient

  private init(_ client: consuming ControlClient) { self.client = client }

  /// Connects to the player, and starts it if there is none.
  static func started(opening device: String) throws(Failure) -> PlayerClient {
    if let client = try PlayerLauncher.nearest() { return PlayerClient(client) }
    return PlayerClient(try PlayerLauncher.connect(try paths(claiming: true), opening: device))
  }

  /// Connects to the running player; nil if there is none.
  static func running() throws(Failure) -> PlayerClient? {
    guard let client = try PlayerLauncher.reachable(try paths()) else { return nil }
    return PlayerClient(client)
  }

  static func paths(claiming: Bool = false) throws(Failure) -> PlayerPaths {
    do throws(DirectoryRefusal) {
      return try .current(claiming: claiming)
    } catch {
      throw Failure(unusable: error)
    }
  }

  /// Sends a request and waits for the answer, without a time limit if `limit` is nil.
  mutating func ask(
    _ verb: PlayerVerb, _ arguments: JSONObject = [:],
    waitingUpTo limit: Duration? = .seconds(30), serving watch: ControlClient.Watch? = nil
  ) throws(Failure) -> JSONObject {
    do throws(ControlError) {
      return try client.ask(verb.rawValue, arguments, waitingUpTo: limit, serving: watch)
    } catch {
      switch error {
      case .refused(let refusal): throw Failure(refusal)
      case .closed: throw Failure(.failed, Message("the player ended before it answered"))
      default: throw Failure(.failed, Message("the player does not answer: \(error)"))
      }
    }
  }

  /// The next event of the watched ones; nil after the player's end.
  mutating func nextEvent() throws(Failure) -> JSONObject? {
    do throws(ControlError) {
      return try client.nextEvent()
    } catch {
      if error == .closed { return nil }
      throw Failure(.failed, Message("the player does not answer: \(error)"))
    }
  }
}
