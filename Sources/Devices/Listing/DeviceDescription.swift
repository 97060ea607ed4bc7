/// One device that `--device` can name.
package struct DeviceDescription: Hashable, Sendable {
  /// Where a device comes from.
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
    /// How many programs could use it at once.
    package let subdevices: Int
    /// How many still can.
    package let free: Int
  }

  /// What to give to `--device`; the same after a reboot.
  package let name: String
  /// What a person calls it, in one line.
  package let title: String
  package let direction: Direction
  package let origin: Origin
  /// The programs that hold it now; only kernel devices tell.
  package let holders: [DeviceHolder]
}
