internal import Devices
internal import Linux

extension DeviceError {
  /// The message for a user: the device, its fault and the system's reason.
  var finding: String {
    switch self {
    case .noNode(let node, let direction, let near):
      "PipeWire has no \(direction) node \(quoted(node))"
        + (near.isEmpty ? "" : "; it has \(alternatives(near.map(quoted), "and"))")
    case .unverifiable(let device, let silence):
      "cannot check \(quoted(device)): \(silence)"
    case .noPipeWire(let device, let failure):
      "\(quoted(device)) needs PipeWire: \(printable("\(failure)"))"
    case .noOutput(let device, let near):
      "PipeWire has no speaker for \(quoted(device))"
        + (near.isEmpty ? "" : "; it has \(alternatives(near.map(quoted), "and"))")
    case .noMonitor(let device):
      "the speaker of \(quoted(device)) does not let its sound be recorded"
    case .unnamed(let device): "\(quoted(device)) needs a name after the colon"
    case .missing(let cause) where cause.isServerDown:
      "the sound server is not running: no device \(quoted(cause.device))"
    case .missing(let cause): "no device \(quoted(cause.device)): \(printable(cause.words))"
    case .busy(let cause, let holders):
      "\(quoted(cause.device)) is in use" + (holders.isEmpty ? "" : " by \(names(of: holders))")
    case .forbidden(let cause):
      "this user cannot open \(quoted(cause.device)): \(printable(cause.words))"
    case .unrelated(let devices):
      "one take cannot have tracks of \(alternatives(devices.map(quoted), "and")): "
        + "these devices have no common clock"
    case .failed(let cause): "\(quoted(cause.device)) does not work: \(printable(cause.words))"
    default: printable("\(self)")
    }
  }

  private func names(of holders: [DeviceHolder]) -> String {
    alternatives(holders.map { printable($0.description) }, "and")
  }

  /// The step that a user can take.
  var advice: String {
    switch self {
    case .noNode: "write pipewire:NODE=NAME; \"recorder devices\" lists the names"
    case .unverifiable(_, .noTool):
      "install it: the package is pipewire-bin (Debian), or give --device default"
    case .noPipeWire:
      "start PipeWire; without it, ALSA's loopback card does the same: modprobe snd-aloop"
    case .noOutput, .unnamed: "\"recorder devices\" lists the names"
    case .unverifiable: "start or restart PipeWire: systemctl --user restart pipewire"
    case .missing:
      "plug a device in or start the sound server; \"recorder devices\" lists the devices"
    case .busy: "stop the program that uses it, or choose another --device"
    case .forbidden: "see Access above, or choose another --device"
    case .unrelated:
      "tracks come from PipeWire (default, pipewire:NODE=NAME, output, app:NAME), or all from test: devices"
    case .unknownBuiltIn: "\"recorder devices\" lists the devices"
    case .toneTooHigh: "give a lower tone, or a higher --rate"
    default: "choose another --device"
    }
  }
}

extension DeviceError {
  /// Returns the advice for a device of this name. For a missing device it suggests the nearest
  /// names.
  func advice(for name: String, _ direction: Direction) -> [String] {
    guard case .missing = self, name != "default" else { return [advice] }
    if direction == .capture, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return [
        "-d names the device; for a length of \(name) s, write --duration \(name)",
        "\"recorder devices\" lists the devices",
      ]
    }
    let near = NearestDevice.names(to: name, direction)
    let list = "\"recorder devices\" lists the devices"
    if near.contains(name), name.begins(with: "pipewire:") {
      return ["PipeWire has it, but ALSA has no plugin for PipeWire: install pipewire-alsa"]
    }
    let others = near.filter { $0 != name }
    return others.isEmpty
      ? [list] : ["did you mean \(alternatives(others.map(quoted)))?", list]
  }
}
