internal import Control
internal import Devices
internal import Linux
internal import Permission
internal import Synchronization

/// The access to the sound cards of a recording. The cards may change after a reconnection, or when
/// a track follows the default microphone. Any thread may use this object.
final class CardAccess: Sendable {
  private let capture: CapturePlan
  private let authority: Authority
  private let asked: AccessQuery
  /// The services that the user allowed only for this recording.
  private let allowedAlone: Set<Service>
  private let cards = Mutex(Cards())
  /// The event that is signalled after the cards of an open device have changed or were refused.
  let changed: Event

  private struct Cards {
    /// The cards that were opened last, or nil before a device was opened.
    var opened: [OpenedCard?]?
    /// The cards with all their names, or nil if no policy needed them yet.
    var device: RequestedDevice?
  }

  init(
    _ capture: CapturePlan, _ authority: Authority, _ asked: AccessQuery,
    allowedAlone: Set<Service>
  ) throws(SystemError) {
    (self.capture, self.authority, self.asked) = (capture, authority, asked)
    self.allowedAlone = allowedAlone
    changed = try Event()
  }

  /// Returns the cards that were opened last. Before a device is open, returns the cards that the
  /// device names mean. Finding the cards takes time, so the result is `unresolved` while no policy
  /// depends on them.
  func found(for policies: Policies) -> RequestedDevice {
    guard policies.nameDevices else { return .unresolved }
    return cards.withLock { cards in
      let device =
        cards.device ?? cards.opened.map { RequestedDevice(opened: $0, for: capture.tracks) }
        ?? RequestedDevice(of: capture, for: policies)
      cards.device = device
      return device
    }
  }

  /// Uses the opened cards for later decisions, because the user's ALSA configuration can map a
  /// device name to any card.
  func take(_ opened: [OpenedCard?]) {
    cards.withLock { $0 = Cards(opened: opened) }
  }

  /// Checks each new card before it is captured, while the device is open.
  func follow(_ device: borrowing CaptureDevice) {
    device.guardCards { self.mayRecord($0) }
  }

  /// Returns whether a device that was opened again may be captured. Access to one of several
  /// services is enough, because tracks without permission are silent.
  func mayReopen(_ device: borrowing CaptureDevice) -> Bool {
    take(device.setup.cards)
    let decisions = decisions(about: asked.services)
    guard decisions.contains(where: { $0.isAllowed(alone: allowedAlone) }) else { return false }
    follow(device)
    return true
  }

  /// Returns whether these microphones may be recorded. If they may not, or if the cards are new,
  /// signals `changed`, so that the session checks its access again.
  private func mayRecord(_ cards: [OpenedCard?]) -> Bool {
    let former = self.cards.withLock { $0.opened }
    take(cards)
    let isAllowed = decisions(about: [.microphone])
      .allSatisfy { $0.isAllowed(alone: allowedAlone) }
    if !isAllowed || cards != former { changed.signal() }
    return isAllowed
  }

  private func decisions(about services: Set<Service>) -> [Decision] {
    var (query, authority) = (asked, authority)
    query.services = services
    authority.device = found
    return authority.situation(query).decisions
  }
}
