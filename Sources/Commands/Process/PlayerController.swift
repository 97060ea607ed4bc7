internal import Control
internal import JSON
internal import Sounds

/// The handler of requests to the player. It turns requests into calls, and results into replies.
final class PlayerController {
  let player: Player
  private var tickets: [PlayerOrderID: Ticket] = [:]
  /// The requests to end and make room for another player.
  private var leaving: [Ticket] = []

  init(_ player: Player) { self.player = player }

  /// Handles a request. If the reply takes time, `takeReplies` returns it later. A request to make
  /// room waits for `takeLeaving`.
  func answer(_ ticket: Ticket, _ request: Control.Request) -> Answer {
    do {
      switch PlayerVerb(rawValue: request.verb) {
      case .status: return .reply(.done(player.status.json))
      case .watch: return .watch(.done(player.status.json))
      case .leave: leaving.append(ticket)
      default: tickets[try order(request)] = ticket
      }
      return .later
    } catch {
      return .reply(.refused(Refusal(Failure(explaining: error))))
    }
  }

  /// Returns the requests to make room for another player that have arrived since the last call.
  func takeLeaving() -> [Ticket] {
    defer { leaving = [] }
    return leaving
  }

  /// Returns the replies that are ready to be sent.
  func takeReplies() -> [(Ticket, Reply)] {
    player.takeAnswers().compactMap { order, answer in
      tickets.removeValue(forKey: order).map { ($0, Reply(answer)) }
    }
  }

  /// Fades out every play whose program has disconnected.
  func abandon(unless isConnected: (Ticket) -> Bool) {
    for order in player.waiting {
      guard let ticket = tickets[order], !isConnected(ticket) else { continue }
      player.abandon(order)
      tickets[order] = nil
    }
  }

  private func order(_ request: Control.Request) throws -> PlayerOrderID {
    guard request.verb != PlayerVerb.play.rawValue else {
      guard let order = PlayOrder(json: .object(request.arguments)) else {
        throw Failure(.usage, "the player does not understand this request")
      }
      return try player.play(order)
    }
    guard let sound = SoundRequest(request) else {
      throw Failure(.usage, "the player does not know the request \(quoted(request.verb))")
    }
    if sound.name == nil, ![.stop, .pause, .resume].contains(sound.verb) {
      throw Failure(.usage, "\(request.verb) needs the name of a sound")
    }
    return try player.perform(sound)
  }
}

extension Reply {
  fileprivate init(_ answer: PlayerAnswer) {
    switch answer {
    case .played(let result): self = .done(result.json.object ?? [:])
    case .done(let sounds): self = .done(["sounds": sounds.json])
    case .refused(let error): self = .refused(Refusal(Failure(explaining: error)))
    }
  }
}
