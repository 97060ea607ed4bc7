package import Audio
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
    // The samples are converted to floats for the resampling, so each device is opened with the
    // sample format that is nearest to floats.
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
          state: facts.states[member],
          // The capture thread may wait for the first device, because nothing is recorded without
          // this device.
          reopensOnOwnThread: member > 0,
          reopen: facts.reopening(member, shared, request)))
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

  /// Returns the number of channels of each track. A device may have more channels than are wanted.
  private static func widths(
    of device: borrowing CaptureDevice, _ tracks: [Track], _ request: DeviceRequest
  ) -> [Int] {
    let groups = device.setup.groups
    guard groups.isEmpty else { return groups.map(\.count) }
    let wanted = tracks[0].channels?.count ?? request.channels.value.value
    return [min(wanted, device.format.channels.value)]
  }

  /// A function that returns the current details of the device of each track.
  var details: @Sendable () -> [DeviceDetails] { { [facts] in facts.details } }

  /// Sets the function that decides whether the cards of all microphones may be recorded. This
  /// function is called before a new card is captured, and immediately if PipeWire already captures
  /// a microphone.
  func guardCards(_ mayRecord: @escaping @Sendable ([OpenedCard?]) -> Bool) {
    facts.guardCards(mayRecord)
    for (index, member) in members.enumerated() {
      member.with { device in facts.follow(index, device) }
    }
  }
}

extension CaptureDevice {
  /// The largest number of captured frames that can remain unread: one period. In a combined
  /// capture, more frames can remain, because they wait for frames of another device.
  package var mostUnread: FrameCount {
    switch self {
    case .combined(let source): source.capture.mostUnread
    case .pcm: period
    case .wave: period
    case .graph: period
    case .closed: period
    }
  }
}

/// Facts about the devices of a combined capture. They may change while it records.
private final class MemberFacts: Sendable {
  private struct State {
    var cards: [[OpenedCard?]]
    var details: [@Sendable () -> [DeviceDetails]]
    var mayRecord: (@Sendable ([OpenedCard?]) -> Bool)?
  }

  /// The tracks of each device.
  private let groups: [[Int]]
  let states: [MemberState]
  private let state: Mutex<State>

  init(_ groups: [[Int]]) {
    self.groups = groups
    states = groups.map { _ in MemberState() }
    state = Mutex(
      State(
        cards: groups.map { _ in [] }, details: groups.map { _ in { [] } }))
  }

  /// The cards of all devices.
  var cards: [OpenedCard?] { state.withLock { $0.cards.flatMap(\.self) } }

  /// The details of each track. The offset of a track is unknown if its device does not share the
  /// clock of the first track.
  var details: [DeviceDetails] {
    let details = state.withLock { $0.details }
    var result = [DeviceDetails](repeating: DeviceDetails(), count: groups.joined().count)
    for (member, group) in groups.enumerated() {
      for (track, var details) in zip(group, details[member]()) {
        if member > 0 { details.offset = nil }
        details.isBeyondRange = states[member].isBeyondRange.load(ordering: .relaxed)
        result[track] = details
      }
    }
    return result
  }

  /// Stores the cards and the details of an opened device.
  func take(_ member: Int, _ device: borrowing CaptureDevice) {
    let (cards, details) = (device.setup.cards, device.details)
    state.withLock { ($0.cards[member], $0.details[member]) = (cards, details) }
  }

  /// Sets the function that decides whether cards may be recorded.
  func guardCards(_ mayRecord: @escaping @Sendable ([OpenedCard?]) -> Bool) {
    state.withLock { $0.mayRecord = mayRecord }
  }

  /// Checks the cards that PipeWire captures for a device, now and before each change.
  func follow(_ member: Int, _ device: borrowing CaptureDevice) {
    device.guardCards { self.mayRecord(member, $0) }
  }

  /// Returns a function that opens the device of these tracks again, if it may be recorded. The
  /// cards are checked only if one of these tracks still records a microphone.
  func reopening(
    _ member: Int, _ tracks: [Track], _ request: DeviceRequest
  ) -> @Sendable () -> CaptureDevice? {
    let microphones = tracks.set { !Track.recordsSystemAudio($0.device) }
    return { [self] in
      guard var device = try? CaptureDevice(sharing: tracks, request) else { return nil }
      let silenced = states[member].silenced
      device.silence(silenced)
      guard microphones.subtracting(silenced).isEmpty || mayRecord(member, device.setup.cards)
      else {
        return nil
      }
      take(member, device)
      follow(member, device)
      return device
    }
  }

  /// Stores the cards of a device. Returns whether the cards of all devices may be recorded.
  private func mayRecord(_ member: Int, _ cards: [OpenedCard?]) -> Bool {
    let (all, mayRecord) = state.withLock { state in
      state.cards[member] = cards
      return (state.cards.flatMap(\.self), state.mayRecord)
    }
    return mayRecord?(all) ?? true
  }
}
