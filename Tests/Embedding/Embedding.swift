import Control
import Linux
import Sounds
import Takes

/// Plays and records as a program that embeds both does: `embedding MEMORY BUNDLED-SOUNDS NAME
/// DEVICE [FILE]`.
@main
struct Embedding {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let take = try arguments.dropFirst(4).first.map(record)
    try play(
      arguments[2], on: arguments[3], PlayerSettings(memory: arguments[0], bundled: arguments[1]))
    guard let take else { return }
    let result = try wait { take.whenEnded($0) }
    let files = result.total?.files ?? 1
    print(result.path ?? "none", result.reason.rawValue, result.marks, files, result.exit)
  }

  /// Starts a recording to a file, with a pause, a split and a mark. The caller ends it.
  static func record(to path: String) throws -> HostedRecording {
    let plan = RecordingPlan(
      identifier: "embedded-\(UInt64.random(in: 0 ... .max))", name: "embedded",
      capture: CapturePlan(device: "test:ramp"), output: OutputPlan(path: path, format: .wav))
    let take = try HostedRecording(of: plan)
    let text = try MarkText("here")
    try wait { take.begin($0) }
    try wait { take.pause($0) }
    try wait { take.resume($0) }
    try wait { take.split($0) }
    _ = try wait { take.mark(text, $0) }
    return take
  }

  /// Makes a call, and waits for its answer.
  static func wait<Value: Sendable>(
    for call: (@escaping HostedAnswer<Value>) -> Void
  ) throws -> Value {
    let awaited = try Awaited<Result<Value, any Error>>()
    call { awaited.set($0) }
    return try awaited.value.get()
  }

  static func play(_ name: String, on device: String, _ settings: PlayerSettings) throws {
    let player = try Player(settings)
    _ = try player.play(PlayOrder([WantedSound(name)], on: device))
    var poll = Poll()
    while true {
      player.advance()
      for (_, answer) in player.takeAnswers() {
        if case .played(let result) = answer {
          for played in result.sounds { print(played.name, played.reason.rawValue) }
        }
        return player.end()
      }
      poll.removeAll()
      for number in player.descriptors { poll.add(number) }
      let left = player.deadline.map { $0 - KernelClock.monotonic.now } ?? .seconds(1)
      try poll.wait(upTo: max(.milliseconds(1), left))
    }
  }
}
