package import CommandLine
internal import Control
internal import Linux
internal import Sounds

/// `player`: the process that plays for every program of a user; only the engine knows it.
package enum PlayerCommand: Carrier {
  /// The word that the launcher starts the player with.
  package static var words: [String] { ["player"] }

  static let detached = Flag("detached", summary: "Tell descriptor 3 when it can be reached")
  static let device = Option<Text>("device", summary: "What the first sound will be played on")
  static let idle = Option<Duration>("idle", summary: "End after so long without a sound; 60s")

  /// The command for the engine's parser; no help page lists it.
  package static var command: Command {
    Command(
      words, section: .sounds, summary: "Play for all programs of this user",
      options: [OptionGroup("Options", [detached, device, idle])],
      examples: [Example("recorder play done", "Runs it")])
  }

  /// Runs the player and ends the process; a failure is printed, or sent to the program that waits.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let signals = try endingSignals()
    do throws(Failure) {
      // Before anything else: opening a device takes longer than all the rest.
      let opening = try first(arguments[device]?.value)
      let loop = try PlayerLoop(signals, opening, idle: arguments[idle] ?? .seconds(60))
      if arguments[detached] { tellReady() }
      loop.run()
      // Not by `exit`: a thread may still be in a library that never comes back.
      Program.end(0)
    } catch {
      console.complain(error.message)
      Program.end(error.code.rawValue)
    }
  }

  /// Before any thread starts, because threads inherit what is blocked.
  private static func endingSignals() throws(Failure) -> Signals {
    do throws(SystemError) {
      return try Signals([.interrupt, .terminate, .quit, .hangUp])
    } catch {
      throw Failure(.failed, Message("cannot wait for signals: \(error)"))
    }
  }

  private static func first(_ device: String?) throws(Failure) -> OutputOpening? {
    guard let device else { return nil }
    let environment = try PlayerSurroundings.environment()
    do throws(SoundError) {
      return try OutputOpening(device, environment, by: TemporaryEnvironment.opener)
    } catch {
      throw Failure(error)
    }
  }

  private static func tellReady() {
    let channel = Descriptor(owning: 3)
    try? channel.writeAll([UInt8(ascii: "\n")].span)
  }
}
