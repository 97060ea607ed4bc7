internal import Control
internal import Linux
package import Store

/// The messages about a running player that cannot be reached.
package struct PlayerWhereabouts {
  private let record: PlayerRecord?

  /// Reads the record that the player has published, if there is one.
  package init(_ paths: PlayerPaths) { record = paths.record }

  /// The failure of a command that needs the player.
  package var failure: Failure {
    guard let record else {
      return Failure(
        .failed,
        Message(
          "the player of this user cannot be reached from here",
          advice: "it was started with another XDG_RUNTIME_DIR: set the same one, "
            + "or wait until it has been silent for a minute"))
    }
    guard record.host.sharesProcesses(with: .current) else {
      return Failure(
        .failed,
        Message(
          "the player of this user runs on \(quoted(record.host.name)), and cannot be reached from here",
          advice: "stop its sounds there; a minute later another one can start here"))
    }
    return Failure(
      .failed,
      Message(
        "the player of this user (process \(record.process)) cannot be reached at "
          + quoted(record.socket),
        advice: "\"kill -TERM \(record.process)\" ends it"))
  }
}
