internal import Audio
internal import Control
internal import Digest
package import Linux
package import Store

/// Delivers the files of one series, one after the other.
package struct DeliveryWorker: ~Copyable {
  private let store: MachineStore
  private let spool: DeliverySpool
  private let signals: Signals
  /// Whether the worker retries until no file waits. Otherwise it stops at the first failure.
  private let isPatient: Bool
  /// Reports a fault immediately. If the worker is not patient, failures that are stored in the
  /// queue are not reported.
  private let report: (DeliveryFault) -> Void
  /// Reports that the worker waits while another process delivers a file of the series. The
  /// argument is the process ID of the other process, or nil if it is unknown. Only a worker that
  /// is not patient reports this, and only once.
  private let reportWait: (Int32?) -> Void

  /// The longest time that the program may run for one file.
  private static let limit = Duration.seconds(3_600)
  /// The pauses after failures. Each is twice as long as the previous one.
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(300)

  /// A worker for a series. `signals` end the worker and the program that it runs.
  package init(
    _ store: MachineStore, _ series: String, _ signals: consuming Signals, isPatient: Bool,
    reportWait: @escaping (Int32?) -> Void, report: @escaping (DeliveryFault) -> Void
  ) {
    self.store = store
    spool = store.spool(of: series)
    self.signals = signals
    self.isPatient = isPatient
    self.report = report
    self.reportWait = reportWait
  }

  /// The result of one step through the queue.
  private enum Step {
    case nothingWaits
    /// A file was delivered, or was removed from the waiting files because it is missing.
    case done
    case failed(DeliveryFault)
    /// This process has to end.
    case interrupted
  }

  /// Delivers until no file waits. A worker that is not patient stops at the first failure. A
  /// patient worker returns immediately if another patient worker runs for this series.
  package func run() throws(DirectoryRefusal) {
    guard isPatient else { return try deliver() }
    // Only the process with the lock `watch` retries. Another process may queue a file just before
    // the release of the lock, and its worker then returns without the lock. So the queue is
    // checked again after the release.
    while let watch = try spool.watch() {
      try deliver()
      _ = consume watch
      if hasStopped || !hasWork { return }
    }
  }

  private var hasStopped: Bool { (try? signals.descriptor.wait(upTo: .zero)) == true }

  private var hasWork: Bool { (try? spool.queue().waiting.isEmpty) == false }

  private func deliver() throws(DirectoryRefusal) {
    var pause = Self.firstPause
    var looksForMissing = true
    var hasWaited = isPatient
    while true {
      switch try turn(looksForMissing, &hasWaited) {
      case .nothingWaits, .interrupted: return
      case .done:
        pause = Self.firstPause
        looksForMissing = false
      case .failed(let fault):
        if case .busy = fault { report(fault) } else if isPatient { report(fault) }
        guard isPatient else { return }
        looksForMissing = true
        guard !waits(pause) else { return }
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// Waits for up to `pause`, and returns whether this process has to end.
  private func waits(_ pause: Duration) -> Bool {
    (try? signals.descriptor.wait(upTo: pause)) == true
  }

  private func turn(
    _ looksForMissing: Bool, _ hasWaited: inout Bool
  ) throws(DirectoryRefusal) -> Step {
    do throws(DirectoryRefusal) {
      let deadline = KernelClock.monotonic.now + Self.limit + .seconds(60)
      while KernelClock.monotonic.now < deadline {
        if hasStopped { return .interrupted }
        // Each wait is short, so that the loop notices a signal soon.
        guard let turn = try spool.turn(waitingUpTo: .milliseconds(200)) else {
          if !hasWaited { reportWait(spool.deliverer) }
          hasWaited = true
          continue
        }
        let step = try step(looksForMissing)
        _ = consume turn
        return step
      }
      return .failed(.busy(series: spool.series))
    } catch {
      guard isPatient else { throw error }
      return .failed(.unknown(error))
    }
  }

  /// Delivers the next file. A file that was missing and now exists again comes first.
  private func step(_ looksForMissing: Bool) throws(DirectoryRefusal) -> Step {
    store.announcements.addTakes()
    let queue = try spool.queue()
    let paths = WaitingPaths(in: store)
    if looksForMissing || queue.waiting.isEmpty {
      for missing in queue.missing {
        guard let file = DeliverableFile(missing, paths) else { continue }
        return try deliver(missing, file, queue)
      }
    }
    guard let next = queue.waiting.first else { return .nothingWaits }
    if let file = DeliverableFile(next, paths) { return try deliver(next, file, queue) }
    let path = paths.lastPath(of: next)
    if !paths.isTrashed(next), let reason = DeliverableFile.obstacle(at: path) {
      return try fail(.unreadable(file: path, why: reason))
    }
    try spool.setAside(next)
    report(.gone(file: path))
    return .done
  }

  private func fail(_ fault: DeliveryFault) throws(DirectoryRefusal) -> Step {
    try spool.change { $0.fail("\(fault)") }
    return .failed(fault)
  }

  private func deliver(
    _ waiting: WaitingFile, _ file: borrowing DeliverableFile, _ queue: DeliveryQueue
  ) throws(DirectoryRefusal) -> Step {
    let said: LastWords
    let ending: UserProgram.Ending
    let program: UserProgram
    do throws(SystemError) {
      let facts = [
        ("SHA256", try file.digest()), ("MACHINE", Host.current.name),
        ("ATTEMPT", "\(queue.state.failures + 1)"),
      ].map { (name: $0.0, value: $0.1) }
      program = UserProgram(
        path: queue.program ?? "",
        environment: TakeVariables.environment(
          of: present(waiting, at: file), at: "segment", adding: facts),
        limit: Self.limit)
      said = try LastWords()
      ending = try program.run(said, unless: signals.descriptor.number)
    } catch {
      return try fail(.system(file: file.path, error))
    }
    if ending == .interrupted { return .interrupted }
    guard ending == .success else {
      return try fail(.program(program, ending, said: said.line, file: file.path))
    }
    guard file.isUntouched else { return try fail(.changed(file: file.path)) }
    return try conclude(waiting)
  }

  /// Returns the result of a waiting file, with the current paths of its sound files and of its
  /// sidecar.
  private func present(
    _ waiting: WaitingFile, at file: borrowing DeliverableFile
  ) -> RecordingResult {
    var present = waiting.result
    present.path = file.path
    if present.tracks.files.isEmpty { present.bytes = file.size }
    if let take = store.catalogue.take(at: file.path), waiting.isFile(of: take) {
      present.sidecar = take.sidecar
      for (index, track) in zip(present.tracks.indices, take.tracks) {
        present.tracks[index].file = track.file
      }
    }
    present.sidecar = present.sidecar.flatMap { (try? FileStatus(of: $0)) == nil ? nil : $0 }
    return present
  }

  /// Removes a delivered file from the queue. A patient worker retries, so that a temporary failure
  /// does not cause a second delivery.
  private func conclude(_ file: WaitingFile) throws(DirectoryRefusal) -> Step {
    var pause = Self.firstPause
    while true {
      do throws(DirectoryRefusal) {
        try spool.remove([file]) { state in
          state.succeed()
          state.delivered += 1
        }
        return .done
      } catch {
        guard isPatient else { throw error }
        report(.unnoted(error))
        if waits(pause) { return .interrupted }
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }
}

/// A file to deliver. The file stays open, so that the worker can later check whether it was
/// changed or replaced.
private struct DeliverableFile: ~Copyable {
  let path: String
  private let descriptor: Descriptor
  private let status: FileStatus

  var size: Int64 { status.size }

  /// Opens the file, even if a command has renamed it. The result is nil if the file does not
  /// exist, or if its path belongs to another take.
  init?(_ file: WaitingFile, _ paths: WaitingPaths) {
    guard let path = paths.path(of: file),
      let descriptor = try? Descriptor(opening: path, [.noFollow, .nonBlocking]),
      let status = try? descriptor.status(), status.kind == .regular
    else { return nil }
    self.path = path
    self.descriptor = descriptor
    self.status = status
  }

  /// Returns the reason why it is unknown whether a file still exists, or nil if the file was
  /// removed.
  ///
  /// An empty directory counts as a mount point whose filesystem is not mounted, so the file may
  /// still exist.
  static func obstacle(at path: String) -> String? {
    let (parent, _) = path.pathParts
    do throws(SystemError) {
      let directory = try Directory(parent)
      if try directory.names().isEmpty { return "its directory is empty" }
      let file = try Descriptor(opening: path, [.noFollow, .nonBlocking])
      // A regular file at this path belongs to another take, so the waiting file was removed.
      return try file.status().kind == .regular ? nil : "it is not a regular file"
    } catch {
      return error.errno == .noSuchFile && (try? Directory(parent)) != nil ? nil : "\(error.errno)"
    }
  }

  /// Returns the SHA-256 of the file in hexadecimal digits.
  func digest() throws(SystemError) -> String {
    var hasher = SHA256.Hasher()
    try descriptor.readBlocks { block in hasher.add(unsafe block.bytes) }
    return hasher.finish().hexadecimal
  }

  /// Whether the file was neither changed nor replaced. It may be missing, because the delivery
  /// program may have moved it.
  var isUntouched: Bool {
    guard (try? descriptor.status())?.identity == status.identity else { return false }
    do throws(SystemError) {
      return try FileStatus(of: path, following: false).identity == status.identity
    } catch {
      return error.errno == .noSuchFile
    }
  }
}
