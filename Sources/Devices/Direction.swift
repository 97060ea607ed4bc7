/// Which way the sound goes.
package enum Direction: String, Hashable, CaseIterable, Sendable {
  /// From the device into the program.
  case capture
  /// From the program into the device.
  case playback
}

extension Direction {
  /// How a person writes the built-in devices that go this way.
  package var builtInDevices: [String] {
    switch self {
    case .capture: ["test:tone[:HZ]", "test:silence", "test:ramp"]
    case .playback: ["test:null"]
    }
  }
}
