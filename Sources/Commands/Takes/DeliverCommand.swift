internal import Control
internal import Linux
package import Store

/// The command `deliver`, which delivers the waiting files.
package enum DeliverCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["deliver"] }
  /// The word that starts a process to deliver the files of one series.
  package static var workerWords: [String] { ["delivery"] }

  private static let list = Flag(
    "list", short: "l", summary: "List the waiting files without delivering them")
  private static let forget = Option<FilePath>(
    "forget", summary: "Cancel the delivery of this file; the file is kept")
  /// The option for a machine that shares the home directory and no longer records.
  package static let from = Option<HostLabel>(
    "from", summary: "Deliver the files of this lost machine, which shared the home directory"
  )

  /// The description of the command for the table.
  package static var command: Command {
    Command(
      words, section: .recording, summary: "Deliver waiting files",
      details: [
        "The files of \"recorder start --on-segment PROGRAM --deliver\" wait for delivery. PROGRAM is run "
          + "for each file, in order. A file is delivered when PROGRAM exits with 0. While a recording "
          + "runs, a process in the background delivers the files, and retries after failures with increasing "
          + "pauses of up to 5 minutes. This command tries now, for example after a restart, and ends when each "
          + "series is delivered or has failed.",
        "A missing file is skipped, and delivered if it reappears. Two processes "
          + "never deliver files of the same series at the same time.",
      ],
      options: [OptionGroup("Options", [list, forget, from])],
      examples: [
        Example("recorder deliver", "Deliver the waiting files"),
        Example("recorder deliver --list", "List the waiting files and the last error"),
        Example("recorder deliver --forget log/05.wav", "Give up the delivery of a file"),
      ],
      ends: [.notFound, .undelivered])
  }

  /// Delivers all waiting files, lists them, or gives up the delivery of one file.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let store = try store(arguments)
    store.addAnnouncedTakes(console)
    if let file = arguments[forget] { return try abandon(file, store) }
    guard !arguments[list] else { return DeliverReport(queues: try queues(store), isList: true) }
    let before = try store.deliveries()
    try deliver(before.filter { !$0.files.isEmpty }.map(\.state.series), arguments)
    let after = try queues(store)
    return DeliverReport(queues: after, delivered: max(0, count(after) - count(before)))
  }

  /// Returns the number of files that were delivered so far.
  private static func count(_ queues: [DeliveryQueue]) -> Int {
    queues.reduce(0) { $0 + $1.state.delivered }
  }

  /// Returns the store of this machine, or of the machine that `--from` names.
  package static func store(_ arguments: Arguments) throws -> MachineStore {
    let store = try SessionClient().store
    guard let host = arguments[from]?.value else { return store }
    if let other = store.others.first(where: { $0.owner?.name.isSameName(as: host) == true }) {
      return other
    }
    throw Failure(.notFound, "no machine called \(quoted(host)) records into this home directory")
  }

  /// Runs one process for each series, so that a delivery that hangs does not block the other
  /// series.
  private static func deliver(_ all: [String], _ arguments: Arguments) throws {
    guard !all.isEmpty else { return }
    let host = arguments[from].map { ["--from", $0.value] } ?? []
    let quiet = arguments[GlobalOption.quiet] ? ["--quiet"] : []
    try Failure.context("cannot start a delivery") {
      let program = try ExecutablePath.current()
      var children: [Handoff<ChildProcess>] = []
      for series in all {
        var spawn = Spawn(program, workerWords + host + quiet + ["--once", "--", series])
        spawn.descriptors = [nil, nil, StandardStream.error.rawValue]
        children.append(Handoff(try spawn.start()))
      }
      for child in children { _ = try child.take()?.wait() }
    }
  }

  /// Returns the deliveries of all series, with the current paths of their files.
  private static func queues(_ store: MachineStore) throws -> [DeliveryQueue] {
    let paths = WaitingPaths(in: store)
    return try store.deliveries().map { $0.located(by: paths) }
  }

  private static func abandon(_ file: FilePath, _ store: MachineStore) throws -> DeliverReport {
    let path = Program.absolutePath(of: file.text)
    let paths = WaitingPaths(in: store)
    let files = try store.deliveries().flatMap(\.files).filter {
      paths.lastPath(of: $0).isSameName(as: path)
    }
    // Several waiting files may have had this path. The file that still exists is meant.
    let meant = files.first { paths.path(of: $0) != nil } ?? files.first
    if let meant, let series = meant.result.delivery?.series {
      try store.spool(of: series).remove([meant]) { $0.succeed() }
      return DeliverReport(queues: try queues(store), forgotten: path)
    }
    throw Failure(
      .notFound, "\(quoted(path)) is not waiting for delivery",
      advice: "\"recorder deliver --list\" lists the waiting files")
  }
}
