package import Decoding
internal import Devices
internal import Linux
internal import Playback
package import Sounds
internal import Synchronization

/// The settings of a hosted player.
package struct HostedPlayerSettings: Sendable {
  /// The name of the device.
  package var device: String
  /// The decoder for untrusted files, or nil to decode in this process.
  package var decoder: DecoderStart? = InstalledProgram.decoder
  /// The function that opens the device.
  package var opener: DeviceOpener = { device, _, request throws(DeviceError) in
    try PlaybackDevice(device, request)
  }
  /// The time for which an unused device stays open.
  package var idle = Duration.seconds(20)
  /// The longest time that a call to the open device may take.
  package var patience = Duration.seconds(10)

  /// The default settings for a device.
  package init(device: String) { self.device = device }
}

/// The device of a hosted player, the playbacks on the device, and the thread that advances them.
/// The thread starts when there is work and ends when no work is left.
///
/// SAFETY: every variable except `poll` is used only under the lock. Only the running thread uses
/// `poll`. At most one thread runs at a time, because `isRunning` changes under the lock.
final class HostedDevice: @unchecked Sendable {
  private enum State {
    case closed
    case opening(OutputOpening)
    case open(Output)
    /// The thread of the output is ending and closes the device.
    case closing(Output)
  }

  let loader: SoundLoader
  private let settings: HostedPlayerSettings
  private let lock = Mutex(())
  private var state = State.closed
  private var entries: [ObjectIdentifier: HostedEntry] = [:]
  private var closers: [@Sendable () -> Void] = []
  /// Whether a caller has requested to close the device. The request is dropped if a playback needs
  /// the device.
  private var closesSoon = false
  /// Whether the player was released.
  private var isReleased = false
  private var lastUse = Duration.zero
  private var isRunning = false
  /// The reason why the thread cannot be started, or nil if it can be started.
  private var refusal: SoundError?
  private var poll = Poll(capacity: 2)
  private var watch: OutputWatch

  init(_ settings: HostedPlayerSettings) throws(SystemError) {
    self.settings = settings
    watch = OutputWatch(allowing: settings.patience)
    loader = SoundLoader(settings.decoder, try Wakeup(), keepingBeginnings: true)
  }
}

extension HostedDevice {
  /// Reads a property of a playback under the lock.
  func read<Value: Sendable>(_ body: () -> Value) -> Value { lock.withLock { _ in body() } }

  /// Gives an order to a playback. The thread then carries out the order.
  func order(_ entry: HostedEntry, _ body: (HostedEntry) -> Void) {
    perform {
      entries[ObjectIdentifier(entry)] = entry
      body(entry)
    }
  }

  /// Ends a playback that its caller has released, as `HostedEntry.forget` describes. Does nothing
  /// if the playback was never given an order.
  func release(_ entry: HostedEntry) {
    let hasOrders = lock.withLock { _ in entries[ObjectIdentifier(entry)] != nil }
    if hasOrders { order(entry) { $0.forget() } }
  }

  /// Closes the device, then calls `done`. If a playback needs the device, the device stays open
  /// and `done` is called soon.
  func close(_ done: @escaping @Sendable () -> Void) {
    perform {
      closesSoon = true
      closers.append(done)
    }
  }

  /// Closes the device once no playback is active, because the player was released.
  func releasePlayer() {
    lock.withLock { _ in isReleased = true }
    loader.wakeup.signal()
  }

  private func perform(_ order: () -> Void) {
    let starts = lock.withLock { _ in
      order()
      defer { isRunning = true }
      return !isRunning
    }
    guard starts else { return loader.wakeup.signal() }
    do throws(SystemError) {
      _ = try Thread("hosted player") { [self] in run() }
    } catch {
      // Without a thread, all orders fail now, on the calling thread.
      lock.withLock { _ in refusal = .system(error) }
      run()
    }
  }

  private func run() {
    while true {
      let calls = lock.withLock { _ in advance() }
      for call in calls { call() }
      if !calls.isEmpty { continue }
      if lock.withLock({ _ in leaves() }) { return }
      wait()
    }
  }

  /// Returns whether no work is left. If so, the thread ends, and the next order starts another
  /// thread.
  private func leaves() -> Bool {
    guard case .closed = state, closers.isEmpty, !isActive else { return false }
    (isRunning, refusal) = (false, nil)
    return true
  }

  /// Waits for an order, the device, a decoder or the next deadline.
  private func wait() {
    poll.removeAll()
    poll.add(loader.wakeup.number)
    let deadline = lock.withLock { _ in prepareWait() }
    let left = deadline.map { max(.milliseconds(1), $0 - KernelClock.monotonic.now) }
    // Polling fails only if memory is short. The loop then polls again.
    _ = try? poll.wait(upTo: left)
  }

  private func prepareWait() -> Duration? {
    var deadlines = entries.values.compactMap(\.deadline)
    let now = KernelClock.monotonic.now
    switch state {
    case .opening: deadlines.append(now + .milliseconds(500))
    case .open(let output):
      poll.add(output.changed.number)
      if hasWork { deadlines.append(now + OutputWatch.interval) }
      if !isActive { deadlines.append(lastUse + settings.idle) }
    case .closing(let output):
      poll.add(output.changed.number)
      deadlines.append(now + OutputWatch.interval)
    case .closed: break
    }
    return deadlines.min()
  }
}

extension HostedDevice {
  /// Advances the playbacks and the state of the device as far as possible. Returns the functions
  /// to call without the lock.
  private func advance() -> [@Sendable () -> Void] {
    loader.wakeup.clear()
    var calls: [@Sendable () -> Void] = []
    let failure = refusal ?? updateState()
    for entry in entries.values {
      entry.advance(on: output, failure)
      calls += entry.callers.takeCalls()
    }
    entries = entries.filter { !$0.value.isForgotten || $0.value.isActive }
    let isActive = isActive
    if isActive { (lastUse, closesSoon) = (KernelClock.monotonic.now, false) }
    switch state {
    case .closed where entries.values.contains(where: \.needsDevice): open()
    case .open(let output) where !isActive && isExpired:
      output.stop()
      state = .closing(output)
      return calls
    case .opening where !isActive, .open where !isActive, .closing: return calls
    default: break
    }
    defer { closers = [] }
    return calls + closers
  }

  private var isActive: Bool { entries.values.contains(where: \.isActive) }

  /// The open device, or nil if no device is open.
  private var output: Output? { if case .open(let output) = state { output } else { nil } }

  /// Whether an unused device must be closed now.
  private var isExpired: Bool {
    closesSoon || isReleased || KernelClock.monotonic.now - lastUse >= settings.idle
  }

  private func open() {
    let opening = OutputOpening(OutputKey(settings.device, [:]), loader.wakeup, by: settings.opener)
    opening.prepare()
    state = .opening(opening)
  }

  /// Updates the state of the device. Returns the reason if the device was just lost or could not
  /// be opened, otherwise nil.
  private func updateState() -> SoundError? {
    switch state {
    case .closed: break
    case .opening(let opening):
      switch opening.result {
      case .success(let output): state = .open(output)
      case .failure(let failure):
        state = .closed
        return failure
      case nil: break
      }
    case .open(let output):
      output.clearChanged()
      if let end = output.end {
        state = .closed
        return .ended(device: settings.device, end)
      }
      guard watch.isStuck(output, hasWork: hasWork) else { break }
      output.stop()
      state = .closed
      return .unanswered(device: settings.device, after: settings.patience)
    case .closing(let output):
      output.clearChanged()
      if output.end != nil || watch.isStuck(output, hasWork: true) { state = .closed }
    }
    return nil
  }

  /// Whether a voice is playing, or has not carried out all commands yet.
  private var hasWork: Bool { entries.values.contains(where: \.playback.hasWork) }
}
