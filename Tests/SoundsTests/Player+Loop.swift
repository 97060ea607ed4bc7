import Control
import Decoding
import Foundation
import Linux
import Support
import Testing

@testable import Sounds

extension Player {
  /// The directory of the bundled sounds.
  static let resources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources").path

  /// The file of the shortest bundled sound.
  static let click = resources + "/Sounds/click.wav"

  /// Makes a player that stores its data in a scratch directory.
  static func stored(
    in scratch: borrowing ScratchDirectory, _ change: (inout PlayerSettings) -> Void = { _ in }
  ) throws -> Player {
    let memory = try PrivateDirectory.make(at: scratch.path("memory"))
    var settings = PlayerSettings(memory: memory.path, bundled: resources)
    change(&settings)
    return try Player(settings)
  }

  /// Makes a player whose decoder waits until the gate is opened.
  static func stored(
    in scratch: borrowing ScratchDirectory, decodingAfter gate: Gate
  ) throws -> Player {
    try stored(in: scratch) { settings in
      settings.decoder = {
        gate.pass()
        return try LocalDecoder($0, $1, from: $2)
      }
    }
  }

  /// Waits for the answer to an order, as the loop of a program does.
  func wait(for order: PlayerOrderID) throws -> PlayerAnswer {
    while true {
      advance()
      if let answer = takeAnswers().first(where: { $0.order == order }) { return answer.answer }
      try poll(upTo: .seconds(1))
    }
  }

  /// Waits for the outcome of a play.
  func outcome(of order: PlayerOrderID) throws -> PlayResult {
    let answer = try wait(for: order)
    guard case .played(let result) = answer else {
      Issue.record("\(answer)")
      return PlayResult([])
    }
    return result
  }

  /// Waits for an action, and returns the states of its sounds.
  @discardableResult
  func carryOut(_ request: SoundRequest) throws -> [SoundStatus] {
    let answer = try wait(for: perform(request))
    guard case .done(let sounds) = answer else {
      Issue.record("\(request.verb): \(answer)")
      return []
    }
    return sounds
  }

  /// Lets the player work until a condition on its sounds is true.
  func run(until condition: ([SoundStatus]) throws -> Bool) throws {
    let deadline = KernelClock.monotonic.now + .seconds(20)
    while try !condition(status.sounds) {
      try #require(KernelClock.monotonic.now < deadline, "after 20 s: \(status.sounds)")
      try pass()
    }
  }

  /// Lets the player work until something has happened, for 50 ms at most.
  func pass() throws {
    try poll(upTo: .milliseconds(50))
    advance()
  }

  private func poll(upTo limit: Duration) throws {
    var poll = Poll()
    for number in descriptors { poll.add(number) }
    let left = deadline.map { $0 - KernelClock.monotonic.now } ?? limit
    try poll.wait(upTo: max(.milliseconds(1), min(left, limit)))
  }
}

extension PlayOrder {
  /// An order on the built-in device.
  static func silent(
    _ sounds: [WantedSound], loops: Bool = false, _ ifPlaying: IfPlaying = .restart
  ) -> PlayOrder {
    var order = PlayOrder(sounds, on: "test:null")
    (order.loops, order.ifPlaying) = (loops, ifPlaying)
    return order
  }

  /// This order from a client that does not wait for the end.
  var detached: PlayOrder {
    var order = self
    order.waits = false
    return order
  }
}

extension WantedSound {
  /// A file, which is called by its path.
  static func file(_ path: String) -> WantedSound { WantedSound(path, path: path) }
}
