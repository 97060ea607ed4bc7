/// One device that `--device` can name.
package struct DeviceDescription: Hashable, Sendable {
  /// The source of a device.
  package enum Origin: Hashable, Sendable {
    /// This program itself.
    case builtIn
    /// A driver of the kernel.
    case kernel(Card)
    /// ALSA's configuration: a plugin, a sound server, a name for a card.
    case configured
    /// A node of PipeWire's.
    case pipeWire(PipeWireNode)
  }

  /// The card and the place on it that a kernel device has.
  package struct Card: Hashable, Sendable {
    /// The card's number, which may change from boot to boot.
    package let number: Int
    /// The card's identifier, which stays.
    package let id: String
    /// The card's name for people.
    package let name: String
    /// The driver, such as `Loopback`.
    package let driver: String
    /// The device's number on the card.
    package let device: Int
    /// The number of programs that could use it at once.
    package let subdevices: Int
    /// The number of subdevices that are not in use.
    package let free: Int
  }

  /// The argument for `--device`; the same after a reboot.
  package let name: String
  /// A description for users, in one line.
  package let title: String
  /// The direction of its stream; a device for both is listed once for each.
  package let direction: Direction
  /// The source of the device, with the card or node behind it.
  package let origin: Origin
  /// The programs that hold it now; empty for all but kernel devices.
  package let holders: [DeviceHolder]
}
