internal import CommandLine
internal import Control
internal import Devices
internal import Files
internal import Linux
internal import Permission
internal import Recording
internal import Store
internal import Takes

/// The steps of a start, in the order that lets each refusal leave nothing behind.
struct SessionStart {
  let plan: RecordingPlan
  let name: SessionName
  let session: SessionID
  let store: SessionStore

  init(_ plan: RecordingPlan) throws(Failure) {
    guard let name = SessionName(plan.name), let session = SessionID(plan.identifier) else {
      throw Failure(.usage, Message("the plan names no recording"))
    }
    self.plan = plan
    self.name = name
    self.session = session
    do throws(DirectoryRefusal) {
      store = SessionStore(try SessionPaths.current(claiming: true))
    } catch {
      throw Failure(unusable: error)
    }
  }

  /// Begins to capture; throws why it cannot be.
  func begin(
    _ signals: StopSignals, _ console: Console, _ screen: Screen?, _ channel: StartChannel?
  ) throws(Failure) -> SessionLoop {
    try DiskFloor.check(plan.output.path, leaving: plan.limits.free)
    let guardian = try explained { () throws(TakeError) in
      let guardian = try PermissionGuard(plan, session)
      try guardian.check()
      return guardian
    }
    try SoundFileLibrary.require()
    let lock = try lock()
    let directory = try explained { () throws(TakeError) in
      try PartFileMaker.directory(for: plan.output)
    }
    let news = clearRemains()
    let reserve = try reserve()
    let socket = SessionSocket(name, on: store)
    let server = try socket.open()
    do throws(Failure) {
      let record = try publish(at: socket.path)
      try explained { () throws(TakeError) in try guardian.consume(for: session) }
      let take = try self.record(directory, guardian, signals, record)
      return try SessionLoop(
        take, guardian, server, signals, lock,
        SessionSurroundings(
          session: session, store: store, socket: socket, console: console, screen: screen,
          channel: channel, reserve: reserve, news: news + guardian.warnings))
    } catch {
      store.withdraw(name)
      socket.remove()
      guardian.close(session)
      throw error
    }
  }

  /// Saves what dead sessions left of this file, and removes what one of this name left that died
  /// before its first frame.
  private func clearRemains() -> [String] {
    store.removeAbandoned()
    let recovery = TakeRecovery(store, holding: name)
    if let former = store.record(of: name), former.part == nil { recovery.clearStarts(of: former) }
    return plan.output.path.map(recovery.clear) ?? []
  }

  /// Keeps back the descriptors of the end before there is anything to end.
  private func reserve() throws(Failure) -> DescriptorReserve {
    do throws(SystemError) {
      return try DescriptorReserve(12)
    } catch {
      throw Failure(
        .failed, Message("cannot begin: \(error)", advice: "raise the limit with \"ulimit -n 256\"")
      )
    }
  }

  /// Says that it is there before anything is heard: whoever takes the permission back from now on
  /// finds it and waits for its end.
  private func publish(at socket: String) throws(Failure) -> SessionRecord {
    var record = SessionRecord(
      identifier: plan.identifier, name: name.text, process: Environment.processIdentifier,
      device: plan.capture.device, path: plan.output.path, part: nil,
      began: KernelClock.realTime.now)
    record.socket = socket
    record.client = plan.client
    record.started = try? OtherProcess(record.process).started()
    try publish(record)
    return record
  }

  private func publish(_ record: SessionRecord) throws(Failure) {
    do throws(DirectoryRefusal) {
      try store.publish(record, as: name)
    } catch {
      throw Failure(unusable: error)
    }
  }

  private func record(
    _ directory: consuming Directory?, _ guardian: PermissionGuard, _ signals: StopSignals,
    _ record: SessionRecord
  ) throws(Failure) -> LiveTake {
    let take: LiveTake
    do throws(TakeError) {
      take = try begin(directory, guardian, signals)
    } catch {
      throw Failure(error)
    }
    do throws(Failure) {
      try publish(take.completing(record))
    } catch {
      take.recording.cut()
      take.place?.discard()
      throw error
    }
    return take
  }

  private func begin(
    _ directory: consuming Directory?, _ guardian: PermissionGuard, _ signals: StopSignals
  ) throws(TakeError) -> LiveTake {
    let device = try DeviceOpening.open(
      plan.capture.device, TakeFormats.request(plan), unless: signals)
    // Once more, because somebody may have refused while the device was opened.
    try guardian.check(opened: device.setup.card)
    try guardian.tellStart()
    if let directory {
      return try LiveTake(
        plan, name, from: device, into: directory, store, ProgramHost(),
        reopening: guardian.reopening)
    }
    let output = Descriptor(owning: StandardStream.output.rawValue)
    return try LiveTake(plan, name, from: device, to: output, reopening: guardian.reopening)
  }

  private func lock() throws(Failure) -> FileLock {
    let lock: FileLock?
    do throws(DirectoryRefusal) {
      lock = try store.lock(name)
    } catch {
      throw Failure(unusable: error)
    }
    // A share may know no locks, and so give one that is held elsewhere.
    if let lock, store.record(of: name).map(store.mayLive) != true { return lock }
    throw isTaken
  }

  private var isTaken: Failure {
    let place = store.record(of: name).map { store.whereabouts(of: $0) }
    var advice = ["stop it with \"recorder stop \(name.text)\", or give another --name"]
    if case .host(let host) = place {
      advice = [
        "\"recorder stop \(name.text)\" ends it, typed there; or give another --name",
        "where \(quoted(host)) is gone for good: \"recorder recover --from \(printable(host))\"",
      ]
    }
    return Failure(
      .alreadyRecording,
      Message(
        "already recording under the name \(quoted(name.text))"
          + (place.map { " (\($0.words))" } ?? ""), advice: advice))
  }
}
