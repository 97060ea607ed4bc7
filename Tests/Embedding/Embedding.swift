import Control
import Sounds

/// Plays a sound as a program would that has the player in itself:
/// embedding MEMORY BUNDLED-SOUNDS NAME DEVICE
@main
struct Embedding {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let player = try Player(PlayerSettings(memory: arguments[0], bundled: arguments[1]))
    let sound = try player.play(PlayOrder([WantedSound(arguments[2])], on: arguments[3]))
    guard case .played(let result) = try player.wait(for: sound) else { return }
    for played in result.sounds { print(played.name, played.reason.rawValue) }
    player.end()
  }
}
