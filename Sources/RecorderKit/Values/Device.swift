internal import Control
internal import Devices
internal import Linux

/// A capture or playback device. Devices with the same identifier are equal.
public struct Device: Hashable, Sendable, Identifiable {
  /// The identifier, as `recorder devices` prints it: a PCM of ALSA such as `default` or `hw:1`, a
  /// node of PipeWire such as `pipewire:NODE=mic`, or a built-in device such as `test:tone`.
  public let id: String
  /// The name for users; the identifier if no other name is known.
  public let name: String
  /// The maximum number of channels, or nil if it is unknown.
  public let channelCount: Int?
  /// The common sample rates that the device supports, lowest first, or an empty array if they are
  /// unknown. Recordings and sounds with other rates are converted.
  public let sampleRates: [Int]

  /// Creates a description of a device. The device need not exist.
  public init(_ id: String) {
    (self.id, name, channelCount, sampleRates) = (id, id, nil, [])
  }

  private init(_ description: DeviceDescription, _ capabilities: Capabilities?) {
    (id, name) = (description.name, description.title)
    channelCount = capabilities?.channels.upperBound
    sampleRates = capabilities?.customaryRates ?? []
  }

  /// Compares the identifiers.
  public static func == (left: Device, right: Device) -> Bool {
    left.id.isSameName(as: right.id)
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { Path(id).hash(into: &hasher) }
}

extension Device: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates a description of a device. The device need not exist.
  public init(stringLiteral id: String) { self.init(id) }

  /// The name.
  public var description: String { name }
}

extension Device {
  /// The default microphone: the device in the variable `RECORDER_CAPTURE_DEVICE`, or ALSA's
  /// `default`.
  public static var defaultMicrophone: Device { Device(CapturePlan.usualDevice) }

  /// The default playback device: the device in the variable `RECORDER_PLAYBACK_DEVICE`, or ALSA's
  /// `default`.
  public static var defaultSpeaker: Device { Device(PlayOrder.usualDevice) }

  /// The microphones of this machine: the cards, then the nodes of PipeWire, then the names in
  /// ALSA's configuration. The built-in test devices are not included.
  ///
  /// A card is opened to read its channels and rates, but only if this program may record from it.
  public static var microphones: [Device] {
    get async { await all(.capture) { Microphone.authorization(for: $0) == .authorized } }
  }

  /// The playback devices of this machine: the cards, then the nodes of PipeWire, then the names in
  /// ALSA's configuration. The built-in test devices are not included.
  public static var speakers: [Device] { get async { await all(.playback) { _ in true } } }

  private static func all(
    _ direction: Direction, mayOpen: @escaping @Sendable (Device) -> Bool
  ) async -> [Device] {
    await onThread("devices") {
      let listed = DeviceList.all(direction).filter { $0.origin != .builtIn }
      let cards = listed.filter { $0.origin != .configured }
      let names = listed.filter { $0.origin == .configured }
      return (cards + DeviceList.pipeWireNodes([direction]) + names).map { device in
        switch device.origin {
        case .pipeWire(let node): Device(device, node.capabilities)
        case .kernel where mayOpen(Device(device.name)):
          Device(device, try? Capabilities(of: device.name, direction))
        default: Device(device, nil)
        }
      }
    }
  }
}
