package import Audio

/// The properties of an opened device, which may differ from those requested.
package struct StreamSetup: Hashable, Sendable {
  /// The name that the device was opened by.
  package let device: String
  /// The rate, the channels and the sample format in use.
  package let format: StreamFormat
  /// The frames between two wakes.
  package let period: FrameCount
  /// The frames that the device's buffer holds.
  package let buffer: FrameCount
  /// True where the kernel's driver fills and empties the buffer, with nothing between that could hide a loss.
  package let isKernelHardware: Bool
  /// The card behind it; nil where no driver of the kernel is known to be.
  package var card: OpenedCard?
}

/// The card and device that a name of any kind opened.
package struct OpenedCard: Hashable, Sendable {
  /// The card's number.
  package let number: Int
  /// The device's number on the card.
  package let device: Int

  /// A place by the kernel's numbers.
  package init(number: Int, device: Int) {
    self.number = number
    self.device = device
  }
}
