internal import CommandLine
internal import Control
internal import Devices
internal import Linux
internal import Permission
internal import Recording

/// The steps of a start, in the order that lets each refusal leave nothing behind.
struct SessionStart {
  let plan: RecordingPlan
  let name: SessionName
  let session: SessionID
  let shelf: SessionShelf

  init(_ plan: RecordingPlan) throws(Failure) {
    guard let name = SessionName(plan.name), let session = SessionID(plan.identifier) else {
      throw Failure(.usage, Message("the plan names no recording"))
    }
    self.plan = plan
    self.name = name
    self.session = session
    do throws(DirectoryRefusal) {
      shelf = SessionShelf(try SessionPlaces.current())
    } catch {
      throw Failure(unusable: error)
    }
  }

  /// Begins to capture; throws why it cannot be.
  func begin(
    _ signals: StopSignals, _ console: Console, _ screen: Screen?, _ channel: StartChannel?
  ) throws(Failure) -> SessionLoop {
    try DiskFloor.check(plan.output.path, leaving: plan.limits.free)
    let guardian = try PermissionGuard(plan, session)
    try guardian.check()
    let lock = try lock()
    let directory = try PartFile.directory(for: plan.output)
    let socket = SessionSocket(name, on: shelf)
    let server = try socket.open()
    do throws(Failure) {
      try guardian.consume(for: session)
      let take = try record(directory, guardian, signals, at: socket.path)
      return try SessionLoop(
        take, guardian, server, signals, lock,
        SessionSurroundings(
          session: session, shelf: shelf, socket: socket, console: console, screen: screen,
          channel: channel))
    } catch {
      socket.remove()
      guardian.release(session)
      throw error
    }
  }

  private func record(
    _ directory: consuming Directory?, _ guardian: PermissionGuard, _ signals: StopSignals,
    at socket: String
  ) throws(Failure) -> LiveTake {
    let device = try DeviceOpening.open(
      plan.capture.device, TakeFormats.request(plan), unless: signals)
    // Once more, because somebody may have refused while the device was opened.
    try guardian.check()
    let take: LiveTake
    if let directory {
      take = try LiveTake(plan, name, from: device, into: directory)
    } else {
      let output = Descriptor(owning: StandardStream.output.rawValue)
      take = try LiveTake(plan, name, from: device, to: output)
    }
    var record = take.record
    record.socket = socket
    do throws(DirectoryRefusal) {
      try shelf.publish(record, as: name)
    } catch {
      take.recording.cut()
      take.place?.discard()
      throw Failure(unusable: error)
    }
    guardian.tellStart()
    return take
  }

  private func lock() throws(Failure) -> FileLock {
    do throws(DirectoryRefusal) {
      if let lock = try shelf.lock(name) { return lock }
    } catch {
      throw Failure(unusable: error)
    }
    let process = shelf.record(of: name).map { " (process \($0.process))" } ?? ""
    throw Failure(
      .alreadyRecording,
      Message(
        "already recording under the name \(quoted(name.text))" + process,
        advice: "stop it with \"recorder stop \(name.text)\", or give another --name"))
  }
}
