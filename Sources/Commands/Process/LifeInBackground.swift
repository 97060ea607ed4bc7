internal import Linux

/// The check that a background process survives the end of the command that starts it.
enum LifeInBackground {
  /// Throws if the process would end with the command that starts it.
  ///
  /// - Parameters:
  ///   - subject: the subject of the message, such as `the recording`.
  ///   - remedy: the advice on how to run the subject in the foreground.
  static func require(for subject: String, remedy: String) throws {
    guard let life = ProcessLife.current() else { return }
    throw Failure(
      .usage, "\(subject) would end together with this command: \(reason(life))", advice: remedy)
  }

  private static func reason(_ life: ProcessLife) -> String {
    switch life {
    case .first: "it is the first process of a container"
    case .onlyChild(let name): "it is the only program of \(quoted(name)), the container's init"
    case .service: "it is the main process of a systemd service"
    }
  }
}
