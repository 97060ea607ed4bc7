package import CommandLine
internal import Devices

extension DevicesCommand: RunnableCommand {
  /// Lists the devices of one direction or both, the default device first. Opens ALSA devices to
  /// read their capabilities.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let wanted = arguments[direction].first.map { [Devices.Direction($0)] }
    let directions = wanted ?? Devices.Direction.allCases
    let known = DeviceList.all(directions)
    let found =
      known.filter { arguments[all] || $0.isOfInterest } + DeviceList.pipeWireNodes(directions)
    let access =
      directions.contains(.capture)
      ? CaptureAccess(known.filter { $0.direction == .capture }) : nil
    let chosen = directions.compactMap(ChosenDevice.init)
    let sections = directions.map { direction in
      let usual = chosen.first { $0.direction == direction }?.device ?? "default"
      let listed = found.filter { $0.direction == direction }
        .map { ListedDevice(asking: $0, access, isDefault: $0.name == usual) }
      return DeviceSection(
        direction: direction, devices: listed.filter(\.isDefault) + listed.filter { !$0.isDefault })
    }
    return DevicesReport(sections: sections, microphone: access?.status, chosen: chosen)
  }
}

extension Devices.Direction {
  fileprivate init(_ direction: DevicesCommand.Direction) {
    switch direction {
    case .capture: self = .capture
    case .playback: self = .playback
    }
  }
}

extension DeviceDescription {
  /// Whether the device is listed without `--all`. Excludes the many names that ALSA's
  /// configuration defines for each card and for ALSA's plugins.
  fileprivate var isOfInterest: Bool {
    origin != .configured || ["default", "pipewire", "pulse", "jack"].contains(name)
  }
}
