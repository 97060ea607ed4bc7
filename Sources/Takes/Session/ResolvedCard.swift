internal import Audio
package import Control
package import Devices
internal import Linux
package import Permission

extension Service {
  /// The service that a recording from this device needs.
  package init(recording device: String) {
    self = Track.recordsSystemAudio(device) ? .systemAudio : .microphone
  }
}

extension Track {
  /// The service that the track needs.
  package var service: Service { Service(recording: device) }
}

extension [Track] {
  /// The services that the devices of the tracks need.
  package var services: Set<Service> { Set(map(\.service)) }
}

extension CapturePlan {
  /// The services that the recording needs. All of them must be allowed at the start.
  package var services: Set<Service> { tracks.services }
}

extension RequestedDevice {
  /// The cards of a recording before its devices are open. Finding the cards takes time, so they
  /// are `unresolved` if no policy depends on them.
  package init(of capture: CapturePlan, for policies: Policies) {
    let devices = capture.tracks.map(\.device)
    if !policies.nameDevices {
      self = .unresolved
    } else if devices.count == 1 || devices.allSatisfy(DeviceName.isBuiltIn) {
      self.init(devices.map { RequestedDevice(resolving: $0) })
    } else {
      let others = capture.tracks.filter { !$0.isInGraph }
      self.init(
        others.map { RequestedDevice(resolving: $0.device) }
          + Self.all(opened: capture.tracks.cardsInGraph()))
    }
  }

  /// The cards that were opened for a recording. A built-in device has no card, so its name is used
  /// instead.
  init(opened cards: [OpenedCard?], for tracks: [Track]) {
    let builtIn = tracks.map(\.device).filter(DeviceName.isBuiltIn)
    self.init(builtIn.map { .card(names: [$0]) } + Self.all(opened: cards))
  }

  private static func all(opened cards: [OpenedCard?]) -> [RequestedDevice] {
    let kernel = cards.contains { $0 != nil } ? DeviceList.kernel([.capture]) : []
    return cards.map { RequestedDevice(opened: $0, among: kernel) }
  }

  /// The card that `name` means, with all of its names. A built-in device has only its own name, so
  /// a rule for cards never applies to it.
  package init(resolving name: String) {
    self.init(
      resolving: name, among: DeviceName.isBuiltIn(name) ? [] : DeviceList.kernel([.capture]))
  }

  /// The card that `name` means, or `unresolved` if these capture devices do not include it.
  package init(resolving name: String, among devices: [DeviceDescription]) {
    if DeviceName.isBuiltIn(name) {
      self = .card(names: [name])
      return
    }
    let names = devices.compactMap(\.spellings)
      .first { $0.contains(name: name) || $0.contains(name: name + ",0") }
    self = names.map { .card(names: $0) } ?? .unresolved
  }

  /// The card that was opened, with all of its names, or `unresolved` if it is unknown.
  private init(opened card: OpenedCard?, among devices: [DeviceDescription]) {
    guard let card else {
      self = .unresolved
      return
    }
    let known = devices.first { description in
      guard case .kernel(let found) = description.origin else { return false }
      return (found.number, found.device) == (card.number, card.device)
    }
    self = .card(names: known?.spellings ?? card.spellings)
  }
}

extension DeviceDescription {
  /// All names of a kernel device, or nil for any other device.
  fileprivate var spellings: [String]? {
    guard case .kernel(let card) = origin else { return nil }
    let address = ["CARD=\(card.id),DEV=\(card.device)", "\(card.id),\(card.device)"]
    let opened = OpenedCard(number: card.number, device: card.device)
    return address.flatMap { ["hw:\($0)", "plughw:\($0)"] } + opened.spellings + [name]
  }
}

extension OpenedCard {
  /// The names that contain the card's number.
  fileprivate var spellings: [String] {
    ["CARD=\(number),DEV=\(device)", "\(number),\(device)"]
      .flatMap { ["hw:\($0)", "plughw:\($0)"] }
  }
}
