package import Devices
package import Permission
internal import Synchronization

/// The card behind the name of a recording's device, which may be another one after a reconnection,
/// and another than the name says.
final class ListenedCard: Sendable {
  private struct State {
    /// By the name alone.
    var named: RequestedDevice
    /// By what was opened, once it is.
    var found: RequestedDevice
  }

  private let look: @Sendable () -> RequestedDevice
  private let state: Mutex<State>

  init(_ look: @escaping @Sendable () -> RequestedDevice) {
    self.look = look
    let card = look()
    state = Mutex(State(named: card, found: card))
  }

  /// The one that was found last.
  var found: RequestedDevice { state.withLock { $0.found } }

  /// Looks again; nil where a card was there and none is now, so that there is nothing to open.
  func lookAgain() -> RequestedDevice? {
    let now = look()
    return state.withLock { state in
      if now == .unresolved, state.named != .unresolved { return nil }
      state = State(named: now, found: now)
      return now
    }
  }

  /// Takes what was opened for what is asked about: ALSA's configuration of the user may put
  /// anything behind a name.
  func take(opened card: RequestedDevice) { state.withLock { $0.found = card } }
}

extension RequestedDevice {
  /// The card behind a name, by all of its names; a rule for cards never means a built-in device.
  init(resolving name: String) {
    self.init(resolving: name, among: Self.isBuiltIn(name) ? [] : DeviceList.all(.capture))
  }

  /// The card by these capture devices, which may be none.
  package init(resolving name: String, among devices: [DeviceDescription]) {
    if Self.isBuiltIn(name) {
      self = .card(names: [name])
      return
    }
    let names = devices.compactMap(\.spellings)
      .first { $0.contains(name) || $0.contains(name + ",0") }
    self = names.map { .card(names: $0) } ?? .unresolved
  }

  /// The card that was opened by a name, by all of its names; one that the driver does not tell is
  /// none that is known.
  init(opened card: OpenedCard?, by name: String) {
    guard !Self.isBuiltIn(name) else {
      self = .card(names: [name])
      return
    }
    guard let card else {
      self = .unresolved
      return
    }
    let known = DeviceList.all(.capture).first { description in
      guard case .kernel(let place) = description.origin else { return false }
      return place.number == card.number && place.device == card.device
    }
    self = .card(names: known?.spellings ?? card.spellings)
  }

  private static func isBuiltIn(_ name: String) -> Bool { name.utf8.starts(with: "test:".utf8) }
}

extension DeviceDescription {
  /// All names of a kernel device; nil for any other.
  fileprivate var spellings: [String]? {
    guard case .kernel(let card) = origin else { return nil }
    let address = ["CARD=\(card.id),DEV=\(card.device)", "\(card.id),\(card.device)"]
    let opened = OpenedCard(number: card.number, device: card.device)
    return address.flatMap { ["hw:\($0)", "plughw:\($0)"] } + opened.spellings + [name]
  }
}

extension OpenedCard {
  /// Its names by number.
  fileprivate var spellings: [String] {
    ["CARD=\(number),DEV=\(device)", "\(number),\(device)"]
      .flatMap { ["hw:\($0)", "plughw:\($0)"] }
  }
}
