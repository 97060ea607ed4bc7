internal import Control
internal import JSON
internal import Linux
internal import Store

/// The player of this user, as the commands reach it.
struct PlayerLink: ~Copyable {
  private var client: ControlClient

  private init(_ client: consuming ControlClient) { self.client = client }

  /// The player, which is started where there is none.
  static func started(opening device: String) throws(Failure) -> PlayerLink {
    if let client = try PlayerLauncher.nearest() { return PlayerLink(client) }
    return PlayerLink(try PlayerLauncher.connect(try paths(claiming: true), opening: device))
  }

  /// The player; nil where there is none.
  static func running() throws(Failure) -> PlayerLink? {
    guard let client = try PlayerLauncher.reachable(try paths()) else { return nil }
    return PlayerLink(client)
  }

  static func paths(claiming: Bool = false) throws(Failure) -> PlayerPaths {
    do throws(DirectoryRefusal) {
      return try .current(claiming: claiming)
    } catch {
      throw Failure(unusable: error)
    }
  }

  /// Asks and waits for the answer; without a limit it waits for ever.
  mutating func ask(
    _ verb: String, _ arguments: JSONObject = [:], waitingUpTo limit: Duration? = .seconds(30)
  ) throws(Failure) -> JSONObject {
    do throws(ControlError) {
      return try client.ask(verb, arguments, waitingUpTo: limit)
    } catch {
      switch error {
      case .refused(let refusal): throw Failure(refusal)
      case .closed: throw Failure(.failed, Message("the player ended before it answered"))
      default: throw Failure(.failed, Message("the player does not answer: \(error)"))
      }
    }
  }

  /// The next event of those that were asked for.
  mutating func nextEvent() throws(Failure) -> JSONObject? {
    do throws(ControlError) {
      return try client.nextEvent()
    } catch {
      if error == .closed { return nil }
      throw Failure(.failed, Message("the player does not answer: \(error)"))
    }
  }
}
