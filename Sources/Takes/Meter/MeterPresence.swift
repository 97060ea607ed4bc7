package import Control
package import Linux
internal import Store

/// The record and the socket of a capture without a file. A program that revokes the permission
/// uses both to find the capture, to end it, and to wait for its end.
package final class MeterPresence {
  private let mark: MeterMark?
  private let paths: SessionPaths
  private let identifier: String
  private var server: ControlServer?

  /// Publishes the capture before anything is captured.
  ///
  /// - Parameter isHosted: true if the process does more than capture, so that it must not be
  ///   killed.
  package init(_ plan: RecordingPlan, isHosted: Bool = false) throws {
    identifier = plan.identifier
    paths = try SessionPaths.current()
    let server = Self.listen(at: paths, plan.identifier)
    let isDeaf = server == nil
    self.server = server
    mark = try Self.mark(plan, MachineStore(paths), isDeaf, isHosted)
  }

  deinit { MachineStore(paths).meters.removeSocket(of: identifier) }

  /// Adds the descriptors of the socket to a poll. Pass the result of the poll to `serve`.
  package func enlist(in poll: inout Poll) { server?.enlist(in: &poll) }

  /// Answers requests to end the capture, and requests to check whether it still has access.
  ///
  /// - Parameter refusal: makes the reply for an error.
  package func serve(
    _ poll: borrowing Poll, _ check: () throws -> Void, _ stop: () -> Void,
    refusal: (any Error) -> Refusal
  ) {
    try? server?.serve(poll) { _, request in
      do {
        switch SessionVerb(rawValue: request.verb) {
        case .permission: try check()
        case .stop: stop()
        default: throw TakeError.unknownRequest(request.verb)
        }
        return .reply(.done)
      } catch {
        return .reply(.refused(refusal(error)))
      }
    }
  }

  /// Publishes the record. Returns nil on a read-only filesystem: no revocation can be stored
  /// there, so no program needs to find the capture.
  private static func mark(
    _ plan: RecordingPlan, _ store: MachineStore, _ isDeaf: Bool, _ isHosted: Bool
  ) throws(DirectoryRefusal) -> MeterMark? {
    var record = SessionRecord(
      identifier: plan.identifier, name: plan.name, process: Environment.processIdentifier,
      device: plan.capture.device, path: nil, began: KernelClock.realTime.now)
    record.isHosted = isHosted
    record.client = plan.client
    record.started = try? OtherProcess(record.process).started()
    record.socket = isDeaf ? nil : store.paths.socket(ofMeter: plan.identifier)
    do {
      return try store.meters.mark(record)
    } catch {
      if case .system(let cause) = error.reason, cause.errno == .readOnlyFilesystem { return nil }
      throw error
    }
  }

  /// Opens the socket; returns nil if that fails. Without a socket, a revocation can only wait for
  /// the end of the capture.
  private static func listen(at paths: SessionPaths, _ identifier: String) -> ControlServer? {
    guard (try? PrivateDirectory.make(at: paths.runtime)) != nil else { return nil }
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    return try? ControlServer(
      at: paths.socket(ofMeter: identifier), hello: hello, mostConnections: 8)
  }
}
