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
}
