internal import Devices
internal import Permission
internal import Synchronization

/// The card behind the name of a recording's device, which may be another one after a reconnection.
final class ListenedCard: Sendable {
  private let look: @Sendable () -> AskedDevice
  private let card: Mutex<AskedDevice>

  init(_ look: @escaping @Sendable () -> AskedDevice) {
    self.look = look
    card = Mutex(look())
  }

  /// The one that was found last.
  var found: AskedDevice { card.withLock { $0 } }

  /// Looks again; nil where a card was there and none is now, so that there is nothing to open.
  func lookAgain() -> AskedDevice? {
    let now = look()
    return card.withLock { card in
      if now == .unresolved, card != .unresolved { return nil }
      card = now
      return now
    }
  }
}

extension AskedDevice {
  /// The card behind a name, by all of its names; a rule for cards never means a built-in device.
  init(resolving name: String) {
    if name.hasPrefix("test:") {
      self = .card(names: [name])
      return
    }
    let spellings = DeviceList.all(.capture).compactMap { description -> [String]? in
      guard case .kernel(let card) = description.origin else { return nil }
      let address = ["CARD=\(card.id),DEV=\(card.device)", "\(card.id),\(card.device)"]
      let numbered = ["CARD=\(card.number),DEV=\(card.device)", "\(card.number),\(card.device)"]
      return (address + numbered).flatMap { ["hw:\($0)", "plughw:\($0)"] } + [description.name]
    }
    let names = spellings.first { $0.contains(name) || $0.contains(name + ",0") }
    self = names.map { .card(names: $0) } ?? .unresolved
  }
}
