internal import Audio
package import Decoding
internal import Devices
internal import Linux
internal import Playback
package import Sounds

/// The settings of a hosted player.
package struct HostedPlayerSettings: Sendable {
  /// The name of the device.
  package var device: String
  /// The decoder for untrusted files.
  package var decoder: any FrameSupply.Type = InstalledProgram.decoder
  /// The function that opens the device.
  package var opener: DeviceOpener = { device, _, request throws(DeviceError) in
    try PlaybackDevice(device, request)
  }
  /// The time for which an unused device stays open.
  package var idle = Duration.seconds(20)

  /// The default settings for a device.
  package init(device: String) { self.device = device }
}

/// The device of a hosted player and its playbacks, on the player's thread.
///
/// SAFETY: only the running thread uses it. A lock of the owner separates one thread from the next.
final class HostedLoop: HostedStage, @unchecked Sendable {
  /// The state of the device.
  enum Device {
    case closed
    case opening(OutputOpening)
    case open(Output)
    /// The thread of the output is ending and closes the device.
    case closing(Output)
  }

  /// The reason why no sound can be played at all, or nil if sounds can be played.
  var refusal: SoundError?
  let loader: SoundLoader
  private let settings: HostedPlayerSettings
  private let wakeup: Wakeup
  private var device = Device.closed
  private var entries: [ObjectIdentifier: HostedEntry] = [:]
  private var closers: [@Sendable () -> Void] = []
  /// Whether the device closes as soon as no playback needs it.
  private var closesSoon = false
  private var isLeft = false
  private var lastUse = Duration.zero
  private var poll = Poll(capacity: 2)

  init(_ settings: HostedPlayerSettings, _ wakeup: Wakeup) {
    self.settings = settings
    self.wakeup = wakeup
    loader = SoundLoader(settings.decoder, wakeup)
  }

  /// The open device, or nil if no device is open.
  var output: Output? { if case .open(let output) = device { output } else { nil } }

  /// The name of the device.
  var deviceName: String { settings.device }

  /// Whether there is no work until the next order.
  var isIdle: Bool {
    guard case .closed = device else { return false }
    return closers.isEmpty && !entries.values.contains(where: \.isActive)
  }

  /// Returns the playback that belongs to a face, and creates it if necessary.
  func entry(for face: HostedFace) -> HostedEntry {
    let key = ObjectIdentifier(face)
    if let entry = entries[key] { return entry }
    let entry = HostedEntry(face)
    entries[key] = entry
    return entry
  }

  /// Closes the device once nothing plays, because the player was released.
  func leave() { isLeft = true }

  /// Closes the device, then calls `done`. If a playback needs the device, it stays open and `done`
  /// is called at once.
  func close(_ done: @escaping @Sendable () -> Void) {
    closesSoon = true
    closers.append(done)
  }

  func advance() {
    updateDevice()
    let failure = refusal ?? takeFailure()
    for entry in entries.values { entry.advance(self, failure) }
    for (key, entry) in entries where entry.isForgotten && !entry.isActive { entries[key] = nil }
    if entries.values.contains(where: \.isActive) {
      lastUse = KernelClock.monotonic.now
      closesSoon = false
      if case .closing = device {} else { takeClosers() }
      openIfNeeded()
    } else {
      closeIfUnused()
    }
  }

  private func takeClosers() {
    let closers = closers
    self.closers = []
    for done in closers { done() }
  }

  /// Returns the reason why the device was lost or could not be opened. Returns each reason once,
  /// otherwise nil.
  private func takeFailure() -> SoundError? {
    switch device {
    case .opening(let opening):
      guard case .failure(let failure) = opening.result else { return nil }
      device = .closed
      return failure
    case .open(let output):
      guard let end = output.end else { return nil }
      device = .closed
      return .ended(device: settings.device, end)
    case .closed, .closing: return nil
    }
  }

  /// Updates the state of a device that has opened or closed.
  private func updateDevice() {
    switch device {
    case .opening(let opening):
      if case .success(let output) = opening.result { device = .open(output) }
    case .closing(let output):
      output.clearChanged()
      guard output.end != nil else { return }
      device = .closed
      takeClosers()
    case .open(let output): output.clearChanged()
    case .closed: break
    }
  }

  private func openIfNeeded() {
    guard case .closed = device, entries.values.contains(where: \.needsDevice) else { return }
    let opening = OutputOpening(
      OutputKey(settings.device, [:]), loader.wakeup, by: settings.opener)
    opening.prepare()
    device = .opening(opening)
  }

  private func closeIfUnused() {
    guard case .open(let output) = device else {
      if case .closed = device { takeClosers() }
      return
    }
    let isOver = KernelClock.monotonic.now - lastUse >= settings.idle
    guard closesSoon || isLeft || isOver else { return }
    closesSoon = false
    output.stop()
    device = .closing(output)
  }

  /// Waits for an order, the device, a decoder or the next deadline.
  func wait() {
    poll.removeAll()
    poll.add(wakeup.number)
    switch device {
    case .open(let output), .closing(let output): poll.add(output.changed.number)
    case .opening, .closed: break
    }
    let now = KernelClock.monotonic.now
    var deadlines = entries.values.compactMap(\.deadline)
    if case .opening = device { deadlines.append(now + .milliseconds(500)) }
    if case .open = device, !entries.values.contains(where: \.isActive) {
      deadlines.append(lastUse + settings.idle)
    }
    let left = deadlines.min().map { max(.milliseconds(1), $0 - now) }
    // Polling fails only if memory is short. The loop then polls again.
    _ = try? poll.wait(upTo: left)
  }
}
