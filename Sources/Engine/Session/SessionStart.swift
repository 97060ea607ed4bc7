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
      throw Self.unusable(error)
    }
  }

  /// Begins to capture; throws why it cannot be.
  func begin(
    _ signals: consuming Signals, _ console: Console, _ screen: Screen?, _ channel: StartChannel?
  ) throws(Failure) -> SessionLoop {
    try DiskFloor.check(plan.output.path, leaving: plan.limits.free)
    let guardian = try PermissionGuard(plan, session)
    try guardian.check()
    let lock = try lock()
    let directory = try PartFile.directory(for: plan.output)
    let server = try serve()
    do throws(Failure) {
      try guardian.consume(for: session)
      let take = try record(directory, guardian)
      return try SessionLoop(
        self, take, guardian, server, signals, lock, console, screen, channel)
    } catch {
      removeSocket()
      guardian.release(session)
      throw error
    }
  }

  private func record(
    _ directory: consuming Directory?, _ guardian: PermissionGuard
  ) throws(Failure) -> LiveTake {
    let device = try DeviceOpening.open(plan.capture.device, TakeFormats.request(plan))
    // Once more, because somebody may have refused while the device was opened.
    try guardian.check()
    let take: LiveTake
    if let directory {
      take = try LiveTake(plan, name, from: device, into: directory)
    } else {
      let output = Descriptor(owning: StandardStream.output.rawValue)
      take = try LiveTake(plan, name, from: device, to: output)
    }
    do throws(DirectoryRefusal) {
      try shelf.publish(take.record, as: name)
    } catch {
      take.recording.cut()
      take.place?.discard()
      throw Self.unusable(error)
    }
    guardian.tellStart()
    return take
  }

  private func lock() throws(Failure) -> FileLock {
    do throws(DirectoryRefusal) {
      if let lock = try shelf.lock(name) { return lock }
    } catch {
      throw Self.unusable(error)
    }
    throw Failure(
      .alreadyRecording,
      Message(
        "already recording under the name \(quoted(name.text))",
        advice: "stop it with \"recorder stop \(name.text)\", or give another --name"))
  }

  /// Listens for other programs; only who holds the lock may remove what a dead session left.
  func serve() throws(Failure) -> ControlServer {
    do throws(DirectoryRefusal) {
      _ = try PrivateDirectory.make(at: shelf.places.runtime)
    } catch {
      throw Self.unusable(error)
    }
    removeSocket()
    let hello = Hello(
      role: .session, program: Version.current, process: Environment.processIdentifier)
    do throws(SystemError) {
      return try ControlServer(at: shelf.places.socket(of: name), hello: hello)
    } catch {
      throw Failure(.failed, Message("cannot be controlled by other programs: \(error)"))
    }
  }

  func removeSocket() {
    guard let directory = try? PrivateDirectory.open(shelf.places.runtime) else { return }
    try? directory.remove(name.text + ".sock")
  }

  static func unusable(_ refusal: DirectoryRefusal) -> Failure {
    Failure(.failed, Message("a directory of recorder cannot be used: \(refusal)"))
  }
}
