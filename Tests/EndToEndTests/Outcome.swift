import Store
import Support

/// The result of a finished command.
struct Outcome: Equatable {
  /// The exit code, or nil if a signal ended the command.
  var code: Int32?
  var output: String
  var errors: String

  /// Whether the output contains a terminal escape.
  var isColored: Bool { (output + errors).contains("\u{1B}") }
}

/// The directories of this machine in a home whose `XDG_RUNTIME_DIR` is `run`.
enum Machine {
  static let state = ".local/state/recorder/machines/\(Host.current.machine)"
  static let sockets = "run/recorder/\(Host.current.machine.prefix(8))"
}

/// Runs a script of `sh` with the functions of `shellFunctions`; `$recorder` is the
/// program of this build, `$state` and `$sockets` the paths of `Machine`. Throws if a condition
/// that the script awaited did not come true.
func sh(
  _ script: String, environment: [String: String?] = [:], limit: Duration = .seconds(60)
) throws -> Outcome {
  let programs: [String: String?] = [
    "recorder": try Products.recorder, "functions": shellFunctions,
    "state": Machine.state, "sockets": Machine.sockets,
  ]
  let ended = try Tool.run(
    "sh", ["-c", shellFunctions + script],
    environment: programs.merging(environment) { $1 }, limit: limit)
  let outcome = Outcome(code: ended.code, output: ended.outputText, errors: ended.errorText)
  if ended.code == 99 { throw NotAwaited(outcome: outcome) }
  return outcome
}

/// A condition of a script that did not come true in time.
struct NotAwaited: Error {
  let outcome: Outcome
}
