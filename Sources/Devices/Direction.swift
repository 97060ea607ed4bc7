/// The direction of a stream.
package enum Direction: String, Hashable, CaseIterable, Sendable {
  /// From the device into the program.
  case capture
  /// From the program into the device.
  case playback
}

extension Direction {
  /// The names of the built-in devices of this direction, as users write them.
  package var builtInDevices: [String] {
    switch self {
    case .capture: ["test:tone[:HZ]", "test:silence", "test:ramp"]
    case .playback: ["test:null"]
    }
  }
}
