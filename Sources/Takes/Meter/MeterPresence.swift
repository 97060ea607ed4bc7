package import Control
package import Linux
internal import Store

/// A listener without a file as other programs find it: revoking the permission has to include it,
/// and to wait for its end.
package final class MeterPresence {
  private let mark: MeterMark?
  private let paths: SessionPaths
  private let identifier: String
  private var server: ControlServer?

  /// Publishes the listener, before anything is captured.
  ///
  /// - Parameter isHosted: true where the process does more than listen, so that nobody may kill it.
  package init(_ plan: RecordingPlan, isHosted: Bool = false) throws(TakeError) {
    identifier = plan.identifier
    do throws(DirectoryRefusal) {
      paths = try SessionPaths.current()
      let server = Self.listen(at: paths, plan.identifier)
      let isDeaf = server == nil
      self.server = server
      mark = try Self.mark(plan, SessionStore(paths), isDeaf, isHosted)
    } catch {
      throw .directory(error)
    }
  }

  deinit { SessionStore(paths).removeSocket(ofMeter: identifier) }

  /// Adds its descriptors to a poll; `serve` gets the finding.
  package func enlist(in poll: inout Poll) { server?.enlist(in: &poll) }

  /// Answers the program that revoked the permission: checks the access again, or ends the listener.
  ///
  /// - Parameter refusal: puts a refusal into words.
  package func serve(
    _ poll: borrowing Poll, _ check: () throws(TakeError) -> Void, _ stop: () -> Void,
    refusal: (TakeError) -> Refusal
  ) {
    try? server?.serve(poll) { _, request in
      do throws(TakeError) {
        switch SessionVerb(rawValue: request.verb) {
        case .permission: try check()
        case .stop: stop()
        default: throw .unknownRequest(request.verb)
        }
        return .reply(.done)
      } catch {
        return .reply(.refused(refusal(error)))
      }
    }
  }

  /// Nil on a read-only filesystem: then no refusal can be stored either.
  private static func mark(
    _ plan: RecordingPlan, _ store: SessionStore, _ isDeaf: Bool, _ isHosted: Bool
  ) throws(DirectoryRefusal) -> MeterMark? {
    var record = SessionRecord(
      identifier: plan.identifier, name: plan.name, process: Environment.processIdentifier,
      device: plan.capture.device, path: nil, began: KernelClock.realTime.now)
    record.isHosted = isHosted
    record.client = plan.client
    record.started = try? OtherProcess(record.process).started()
    record.socket = isDeaf ? nil : store.paths.socket(ofMeter: plan.identifier)
    do {
      return try store.mark(record)
    } catch {
      if case .system(let cause) = error.reason, cause.errno == .readOnlyFilesystem { return nil }
      throw error
    }
  }

  /// Nil where no socket can be made: then a revocation waits for the listener's end.
  private static func listen(at paths: SessionPaths, _ identifier: String) -> ControlServer? {
    guard (try? PrivateDirectory.make(at: paths.runtime)) != nil else { return nil }
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    return try? ControlServer(
      at: paths.socket(ofMeter: identifier), hello: hello, mostConnections: 8)
  }
}
