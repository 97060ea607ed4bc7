internal import CommandLine
internal import Control
internal import Linux
internal import Store

/// A meter as other programs find it: revoking the permission has to include it, and to wait for
/// its end.
final class MeterPresence {
  private let mark: MeterMark?
  private let paths: SessionPaths
  private let identifier: String
  private var server: ControlServer?

  /// Publishes the meter, before anything is captured.
  init(_ plan: RecordingPlan) throws(Failure) {
    identifier = plan.identifier
    do throws(DirectoryRefusal) {
      paths = try SessionPaths.current()
      let server = Self.listen(at: paths, plan.identifier)
      let isDeaf = server == nil
      self.server = server
      mark = try Self.mark(plan, SessionStore(paths), isDeaf)
    } catch {
      throw Failure(unusable: error)
    }
  }

  deinit { SessionStore(paths).removeSocket(ofMeter: identifier) }

  /// Adds its descriptors to a poll; `serve` gets the finding.
  func enlist(in poll: inout Poll) { server?.enlist(in: &poll) }

  /// Answers the program that revoked the permission: checks the access again, or ends the meter.
  func serve(_ poll: borrowing Poll, _ check: () throws(Failure) -> Void, _ stop: () -> Void) {
    try? server?.serve(poll) { _, request in
      do throws(Failure) {
        switch SessionVerb(rawValue: request.verb) {
        case .permission: try check()
        case .stop: stop()
        default:
          throw Failure(.usage, Message("a meter cannot \(quoted(request.verb))"))
        }
        return .reply(.done)
      } catch {
        return .reply(.refused(Refusal(error)))
      }
    }
  }

  /// Nil on a read-only filesystem: then no refusal can be stored either.
  private static func mark(
    _ plan: RecordingPlan, _ store: SessionStore, _ isDeaf: Bool
  ) throws(DirectoryRefusal) -> MeterMark? {
    var record = SessionRecord(
      identifier: plan.identifier, name: plan.name, process: Environment.processIdentifier,
      device: plan.capture.device, path: nil, part: nil, began: KernelClock.realTime.now)
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

  /// Nil where no socket can be made: then a revocation waits for the meter's end.
  private static func listen(at paths: SessionPaths, _ identifier: String) -> ControlServer? {
    guard (try? PrivateDirectory.make(at: paths.runtime)) != nil else { return nil }
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    return try? ControlServer(
      at: paths.socket(ofMeter: identifier), hello: hello, mostConnections: 8)
  }
}
