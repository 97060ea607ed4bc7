internal import Audio
package import Control
internal import Devices
internal import Files
internal import Linux
internal import Permission
internal import Recording
internal import Store

/// The steps of a start, ordered so that a refusal leaves nothing behind.
package struct SessionStart {
  let plan: RecordingPlan
  let name: SessionName
  let identifier: SessionID
  let store: MachineStore
  let stop: any StopRequest
  let host: any SessionHost

  /// A start of the recording in a plan. It does not use the plan's file or device yet.
  package init(
    _ plan: RecordingPlan, _ host: any SessionHost, unless stop: any StopRequest
  ) throws {
    guard let name = SessionName(plan.name), let identifier = SessionID(plan.identifier) else {
      throw TakeError.nameless
    }
    self.plan = plan
    self.name = name
    self.identifier = identifier
    self.host = host
    self.stop = stop
    store = MachineStore(try SessionPaths.current(claiming: true))
  }

  /// Starts the capture. If this fails, nothing is left behind.
  ///
  /// - Parameter patience: the longest wait if another process holds the lock of the name. That
  ///   process may only be checking the name, or may be about to end.
  package func begin(namePatience patience: Duration = .milliseconds(300)) throws -> LiveSession {
    let watch = try AccessWatch(plan, identifier)
    try watch.check()
    if !plan.output.format.isUncompressed { try SoundFileLibrary.prepare() }
    let lock = try lock(patience)
    let directory = try PartFileMaker.directory(for: plan.output)
    let news = clearRemains().map(SessionNews.recovery)
    // Descriptors for the end of the take.
    let reserve = try DescriptorReserve(12)
    try prepareDeliveries()
    let socket = SessionSocket(name, plan.identifier, in: store)
    let server = try socket.open()
    let published = PublishedSession(
      identifier: identifier, name: name, store: store, host: host, socket: socket, watch: watch)
    do {
      let record = try publish(at: socket.path)
      try watch.consume(for: identifier)
      let take = try self.record(directory, watch, record)
      return LiveSession(
        take, published, server, lock, reserve, until: stop,
        news: news + (watch.unaudited.map { [.startUnaudited($0)] } ?? []))
    } catch {
      published.withdraw()
      throw error
    }
  }

  /// Recovers the parts that dead sessions left for the file of the plan. Removes the parts of a
  /// dead session of this name if its record has no part, because they contain only headers.
  private func clearRemains() -> [RecoveryNews] {
    store.removeAbandoned()
    guard let reader = host.partReader else { return [] }
    let recovery = TakeRecovery(store, holding: name, reader: reader, host: host)
    if let former = store.sessions.record(of: name), former.part == nil {
      recovery.clearStarts(of: former)
    }
    return plan.output.path.map(recovery.clear) ?? []
  }

  private func prepareDeliveries() throws {
    guard let delivery = plan.output.delivery else { return }
    try store.spool(of: delivery.series).prepare()
  }

  /// Publishes the session before anything is captured, so that a later revocation finds the
  /// session and waits for its end.
  private func publish(at socket: String) throws -> SessionRecord {
    var record = SessionRecord(
      identifier: plan.identifier, name: name.text, process: Environment.processIdentifier,
      device: plan.capture.device, path: plan.output.path,
      began: KernelClock.realTime.now)
    record.socket = socket
    record.isHosted = host.isForeign
    record.client = plan.client
    record.tracks = plan.capture.tracks
    record.started = try? OtherProcess(record.process).started()
    try store.sessions.publish(record, as: name)
    return record
  }

  private func record(
    _ directory: consuming Directory?, _ watch: AccessWatch, _ record: SessionRecord
  ) throws -> LiveTake {
    let device = try DeviceOpening.open(
      plan.capture.tracks, TakeFormats.request(plan), unless: stop)
    // Check again, because the permission may have been revoked while the device was being opened.
    try watch.check(opened: device)
    try watch.tellStart()
    // The check of the free space may delete files, and a refused start must not delete files. So
    // it is the last check.
    try reachDiskFloor()
    let take: LiveTake
    if let directory {
      take = try LiveTake(
        plan, name, from: device, into: directory, store, host, reopening: watch.reopening,
        monitor: host.monitor)
    } else {
      // The take writes to a duplicate, so stdout itself stays open after the take. The program
      // that reads stdout then sees the end of the stream only after the command has written its
      // report to the terminal.
      let output = try Descriptor(duplicating: .output)
      take = try LiveTake(plan, name, from: device, to: output, reopening: watch.reopening)
    }
    do {
      try store.sessions.publish(take.completing(record), as: name)
    } catch {
      take.recording.cut()
      try? take.partFile?.discard()
      throw error
    }
    return take
  }

  private func lock(_ patience: Duration) throws -> FileLock {
    let lock = try store.sessions.lock(name, waitingUpTo: patience)
    // A network share without working locks may grant a lock that another host holds.
    let record = store.sessions.record(of: name)
    if let lock, record.map(store.sessions.mayLive) != true { return lock }
    throw TakeError.nameInUse(
      name,
      record.map { store.sessions.location(of: $0) }
        ?? store.sessions.holder(of: name).map { .process($0) },
      path: record?.path)
  }

  /// If too little space is free on the disk of the take, deletes undelivered files of the series,
  /// like a running take. Throws if the space is still too small.
  private func reachDiskFloor() throws {
    guard case .diskFloor(_, let free, let floor)? = plan.diskRefusal else { return }
    _ = SeriesPruning(plan.output, store)?.makeRoom(of: floor - free, whole: true)
    if let refusal = plan.diskRefusal { throw refusal }
  }
}

extension RecordingPlan {
  /// The refusal if the disk of the take has too little free space, or nil. A take to stdout needs
  /// no space.
  package var diskRefusal: TakeError? {
    guard let path = output.path, let free = FileSystem.freeBytes(above: path), free < limits.free
    else { return nil }
    return .diskFloor(path, free: free, floor: limits.free)
  }
}
