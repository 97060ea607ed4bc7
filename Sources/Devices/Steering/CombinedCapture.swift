internal import Audio
internal import Linux
internal import Synchronization

/// Several devices that do not share a clock, opened as one stream.
package struct CombinedCapture: ~Copyable, Sendable {
  var capture: SteeredCapture<CaptureDevice>
  /// The negotiated setup.
  package let setup: StreamSetup
  private let members: [QueuedSource<CaptureDevice>]
  private let facts: MemberFacts

  /// Opens the devices of all tracks. Each element of `groups` has the indices of the tracks that
  /// share a clock. The first group has the first track.
  init(
    _ tracks: [Track], _ groups: [[Int]], _ request: DeviceRequest
  ) throws(DeviceError) {
    let facts = MemberFacts(groups)
    var request = request
    // Resampling needs floats, so each device should have its best samples.
    request.sample = .near(.float32)
    var members: [QueuedSource<CaptureDevice>] = []
    var counts = [Int](repeating: 0, count: tracks.count)
    for (member, group) in groups.enumerated() {
      var shared = group.map { tracks[$0] }
      let device = try CaptureDevice(sharing: shared, request)
      if member == 0 { request.rate = .near(device.format.rate) }
      let widths = Self.widths(of: device, shared, request)
      for (index, width) in widths.enumerated() {
        counts[group[index]] = width
        shared[index].channels = 0..<width
      }
      facts.take(member, device)
      members.append(
        QueuedSource(
          device, tracks: group, channels: ChannelCount(widths.reduce(0, +)) ?? .mono,
          state: facts.clocks[member],
          reopen: Self.reopening(shared, request, facts, member)))
    }
    let ranges = counts.consecutiveRanges
    let capture = SteeredCapture(
      members[0], Array(members.dropFirst()), groups: ranges)
    setup = StreamSetup(
      device: tracks.devices, format: capture.format, period: capture.period,
      buffer: capture.capacity, isKernelHardware: false, cards: facts.cards, groups: ranges)
    self.capture = capture
    (self.members, self.facts) = (members, facts)
  }

  /// Returns the number of channels of each track. A card may have more channels than are wanted.
  private static func widths(
    of device: borrowing CaptureDevice, _ tracks: [Track], _ request: DeviceRequest
  ) -> [Int] {
    let groups = device.setup.groups
    guard groups.isEmpty else { return groups.map(\.count) }
    let wanted = tracks[0].channels?.count ?? request.channels.value.value
    return [min(wanted, device.format.channels.value)]
  }

  /// Returns a function that returns the device once it has been opened again.
  private static func reopening(
    _ tracks: [Track], _ request: DeviceRequest, _ facts: MemberFacts, _ member: Int
  ) -> @Sendable () -> CaptureDevice? {
    let reopening = Reopening {
      guard let device = try? CaptureDevice(sharing: tracks, request),
        facts.mayRecord(member, device.setup.cards)
      else { return nil }
      facts.take(member, device)
      facts.follow(member, device)
      return device
    }
    return { reopening.take() }
  }

  /// A function that returns the present details of the device of each track.
  var details: @Sendable () -> [DeviceDetails] { { [facts] in facts.details } }

  /// Calls `mayRecord` with the cards of all microphones, now if PipeWire captures one of them, and
  /// before other cards are captured.
  func guardCards(_ mayRecord: @escaping @Sendable ([OpenedCard?]) -> Bool) {
    facts.guardCards(mayRecord)
    for (index, member) in members.enumerated() {
      member.with { device in facts.follow(index, device) }
    }
  }
}

/// The facts of the devices of a combined capture that may change while it records.
private final class MemberFacts: Sendable {
  private struct State {
    var cards: [[OpenedCard?]]
    var details: [@Sendable () -> [DeviceDetails]]
    var mayRecord: (@Sendable ([OpenedCard?]) -> Bool)?
  }

  /// The tracks of each device.
  private let groups: [[Int]]
  let clocks: [ClockState]
  private let state: Mutex<State>

  init(_ groups: [[Int]]) {
    self.groups = groups
    clocks = groups.map { _ in ClockState() }
    state = Mutex(
      State(
        cards: groups.map { _ in [] }, details: groups.map { _ in { [] } }))
  }

  /// The cards of all devices.
  var cards: [OpenedCard?] { state.withLock { $0.cards.flatMap(\.self) } }

  /// The details of each track. The offset of a track is unknown if its clock is not that of the
  /// first track.
  var details: [DeviceDetails] {
    let details = state.withLock { $0.details }
    var result = [DeviceDetails](repeating: DeviceDetails(), count: groups.joined().count)
    for (member, group) in groups.enumerated() {
      for (track, var details) in zip(group, details[member]()) {
        if member > 0 { details.offset = nil }
        details.isBeyondRange = clocks[member].isBeyondRange.load(ordering: .relaxed)
        result[track] = details
      }
    }
    return result
  }

  /// Uses a device that was opened.
  func take(_ member: Int, _ device: borrowing CaptureDevice) {
    let (cards, details) = (device.setup.cards, device.details)
    state.withLock { ($0.cards[member], $0.details[member]) = (cards, details) }
  }

  /// Sets the function that decides about cards.
  func guardCards(_ mayRecord: @escaping @Sendable ([OpenedCard?]) -> Bool) {
    state.withLock { $0.mayRecord = mayRecord }
  }

  /// Checks the other cards that a device captures later.
  func follow(_ member: Int, _ device: borrowing CaptureDevice) {
    device.guardCards { self.mayRecord(member, $0) }
  }

  /// Returns whether a device may record these cards.
  func mayRecord(_ member: Int, _ cards: [OpenedCard?]) -> Bool {
    let (all, mayRecord) = state.withLock { state in
      state.cards[member] = cards
      return (state.cards.flatMap(\.self), state.mayRecord)
    }
    return mayRecord?(all) ?? true
  }
}

/// The attempts to open a device again, on a thread of their own.
private final class Reopening: Sendable {
  private struct State: ~Copyable {
    var device: CaptureDevice?
    var isOpening = false
  }

  private let open: @Sendable () -> CaptureDevice?
  private let state = Mutex(State())

  init(_ open: @escaping @Sendable () -> CaptureDevice?) { self.open = open }

  /// Returns the device if it is open. Otherwise it is opened in the background.
  func take() -> CaptureDevice? {
    state.withLockIfAvailable { state in
      if let device = state.device.take() { return device }
      if !state.isOpening { state.isOpening = start() }
      return nil
    } ?? nil
  }

  /// Starts the thread. It ends when the device is open, or when this object was destroyed.
  private func start() -> Bool {
    let thread = try? Thread("opening") { [weak self] in
      while let attempt = self?.attempt(), !attempt { KernelClock.sleep(.milliseconds(250)) }
    }
    return thread != nil
  }

  /// Tries to open the device. Returns whether it is open.
  private func attempt() -> Bool {
    guard let device = open() else { return false }
    let opened = Handoff(device)
    state.withLock { state in
      state.device = opened.take()
      state.isOpening = false
    }
    return true
  }
}
