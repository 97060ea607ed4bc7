internal import Audio
package import Control
package import Devices
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
  /// The services that the recording needs. All of them must be allowed.
  package var services: Set<Service> { tracks.services }
}

extension RequestedDevice {
  /// The card of a recording. No card stands for the devices of several tracks.
  package init(of capture: CapturePlan) {
    self = capture.tracks.count > 1 ? .unresolved : RequestedDevice(resolving: capture.device)
  }

  /// The card that was opened for a recording.
  init(opened card: OpenedCard?, for capture: CapturePlan) {
    self =
      capture.tracks.count > 1
      ? .unresolved : RequestedDevice(opened: card, by: capture.device)
  }

  /// The card behind a name, with all of its names. A rule for cards never applies to a built-in
  /// device.
  package init(resolving name: String) {
    self.init(
      resolving: name, among: DeviceName.isBuiltIn(name) ? [] : DeviceList.kernel([.capture]))
  }

  /// The card behind a name, among these capture devices.
  package init(resolving name: String, among devices: [DeviceDescription]) {
    if DeviceName.isBuiltIn(name) {
      self = .card(names: [name])
      return
    }
    let names = devices.compactMap(\.spellings)
      .first { $0.contains(name) || $0.contains(name + ",0") }
    self = names.map { .card(names: $0) } ?? .unresolved
  }

  /// The card that was opened by a name, with all of its names, or `unresolved` if the driver does
  /// not report the card.
  init(opened card: OpenedCard?, by name: String) {
    guard !DeviceName.isBuiltIn(name) else {
      self = .card(names: [name])
      return
    }
    guard let card else {
      self = .unresolved
      return
    }
    let known = DeviceList.kernel([.capture]).first { description in
      guard case .kernel(let found) = description.origin else { return false }
      return found.number == card.number && found.device == card.device
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
