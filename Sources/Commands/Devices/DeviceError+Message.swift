internal import Devices
internal import Linux

extension DeviceError {
  /// The step that a user can take.
  var advice: String {
    switch self {
    case .noNode: "write pipewire:NODE=NAME; \"recorder devices\" lists the names"
    case .unverifiable(_, .noTool):
      "install pw-dump (Debian: the package pipewire-bin), or give --device default"
    case .noPipeWire:
      "start PipeWire; without PipeWire, record through ALSA's loopback card: modprobe snd-aloop"
    case .noOutput, .unnamed: "\"recorder devices\" lists the names"
    case .unverifiable: "start or restart PipeWire: systemctl --user restart pipewire"
    case .missing:
      "plug a device in or start the sound server; \"recorder devices\" lists the devices"
    case .inactive: "check the device, restart the sound server, or choose another --device"
    case .busy: "stop the program that uses it, or choose another --device"
    case .forbidden: "see Access in \"recorder doctor\", or choose another --device"
    case .unknownBuiltIn: "\"recorder devices\" lists the devices"
    case .toneTooHigh: "give a lower tone, or a higher --rate"
    default: "choose another --device"
    }
  }
}

extension Failure {
  /// The failure of a device that did not open within `limit`.
  init(unanswered device: String, _ limit: Duration) {
    self.init(
      .device, "\(quoted(device)) did not answer within \(limit.components.seconds) s",
      advice: "restart the sound server, or choose another --device")
  }
}

extension DeviceError {
  /// Returns the advice for a device in this direction. For a missing device other than `default`,
  /// the advice suggests the nearest names.
  func advice(for direction: Direction) -> [String] {
    guard case .missing(let cause) = self, cause.device != "default" else { return [advice] }
    let name = cause.device
    if direction == .capture, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return [
        "-d names the device; for a length of \(name) s, write --duration \(name)",
        "\"recorder devices\" lists the devices",
      ]
    }
    let near = NearestDevice.names(to: name, direction)
    let list = "\"recorder devices\" lists the devices"
    if near.contains(name: name), name.begins(with: "pipewire:") {
      return ["PipeWire has it, but ALSA has no plugin for PipeWire: install pipewire-alsa"]
    }
    let others = near.filter { !$0.isSameName(as: name) }
    return others.isEmpty
      ? [list] : ["did you mean \(alternatives(others.map(quoted)))?", list]
  }
}
