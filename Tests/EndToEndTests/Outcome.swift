import Support

/// What a finished command left behind.
struct Outcome: Equatable {
  /// Nil where a signal ended it.
  var code: Int32?
  var output: String
  var errors: String

  /// Whether a terminal escape is anywhere in it.
  var isColored: Bool { (output + errors).contains("\u{1B}") }
}

/// Runs a script of `sh` in which `$recorder` and `$engine` are the programs of this build.
func sh(
  _ script: String, environment: [String: String?] = [:], limit: Duration = .seconds(30)
) throws -> Outcome {
  let programs: [String: String?] = [
    "recorder": try Products.recorder, "engine": try Products.engine,
  ]
  let ended = try Tool.run(
    "sh", ["-c", script], environment: programs.merging(environment) { $1 }, limit: limit)
  return Outcome(code: ended.code, output: ended.outputText, errors: ended.errorText)
}
