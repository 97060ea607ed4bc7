package import Audio

/// What an opened device really does, whatever was wished.
package struct StreamSetup: Hashable, Sendable {
  /// The name that it was opened by.
  package let device: String
  package let format: StreamFormat
  /// How many frames pass between two wakes.
  package let period: FrameCount
  /// How many frames the device holds.
  package let buffer: FrameCount
  /// Whether the kernel's driver fills and empties the buffer, with nothing between that could hide a loss.
  package let isKernelHardware: Bool
  /// The card that is really behind it; nil where no driver of the kernel is known to be.
  package var card: OpenedCard?
}

/// A place on a card that was opened, whatever name led to it.
package struct OpenedCard: Hashable, Sendable {
  /// The card's number.
  package let number: Int
  /// The device's number on the card.
  package let device: Int

  package init(number: Int, device: Int) {
    self.number = number
    self.device = device
  }
}
