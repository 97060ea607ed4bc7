package import CommandLine
internal import Devices

extension DevicesCommand: RunnableCommand {
  /// Lists the devices of one direction or both, the default one first; each is opened to ask it.
  package static func carryOut(
    _ arguments: Arguments, _ console: Console
  ) throws(Failure) -> any Report {
    let wanted = arguments[direction].first.map { [Devices.Direction($0)] }
    let directions = wanted ?? Devices.Direction.allCases
    var access: CaptureAccess?
    let sections = directions.map { direction in
      let all = DeviceList.all(direction)
      if direction == .capture { access = CaptureAccess(all) }
      let found =
        all.filter { arguments[self.all] || $0.isOfInterest } + DeviceList.pipeWireNodes(direction)
      let listed = found.map { ListedDevice(asking: $0, access) }
      return DeviceSection(
        direction: direction, devices: listed.filter(\.isDefault) + listed.filter { !$0.isDefault })
    }
    return DevicesReport(
      sections: sections, microphone: access?.status,
      chosen: directions.compactMap(ChosenDevice.init))
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
  /// False for the many names that ALSA's configuration defines for every card, and for its
  /// plugins.
  fileprivate var isOfInterest: Bool {
    origin != .configured || ["default", "pipewire", "pulse", "jack"].contains(name)
  }
}
