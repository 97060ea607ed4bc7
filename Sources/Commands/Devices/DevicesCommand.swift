package import Devices
internal import Linux

/// The command `devices`, which lists the capture and playback devices.
package enum DevicesCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["devices"] }

  /// The direction to list. If it is omitted, both directions are listed.
  package static let direction = Operand<Direction>(
    .optional, summary: "List only these devices")

  /// The flag that adds every name of ALSA's configuration.
  package static let all = Flag(
    "all", short: "a", summary: "Also list every name in ALSA's configuration")

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "List capture and playback devices",
      details: [
        "Shows the name of each device for --device, its description, and the sample rates, channels "
          + "and formats of its hardware. The names do not depend on the numbers of the cards.",
        "To read these values, ALSA devices are opened. Capture devices are opened only with "
          + "microphone access; without it, they are listed without rates, channels and formats.",
        "If PipeWire is running, each of its microphones and speakers is listed as "
          + "pipewire:NODE=NAME, with the rates and formats that need no conversion.",
        "Devices called output:NODE and app:NAME record the sound that a speaker or a program plays. "
          + "--device output records the default speaker.",
        "The test devices need no hardware: scripts can use them on a machine without sound.",
      ],
      operands: [direction],
      options: [OptionGroup("Options", [all])],
      examples: [
        Example("recorder devices", "List all devices"),
        Example("recorder devices capture", "List capture devices"),
        Example("recorder devices --all", "Also list every name in ALSA's configuration"),
        Example("recorder devices --json", "Print the list as JSON"),
      ])
  }
}

extension DevicesCommand {
  /// Lists the devices of one direction or both, the default device first. Opens ALSA devices to
  /// read their capabilities, but capture devices only with microphone access.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    let directions = arguments[direction].first.map { [$0] } ?? Direction.allCases
    let known = DeviceList.all(directions)
    let found =
      known.filter { arguments[all] || $0.isOfInterest }
      + DeviceList.pipeWireNodes(directions, withPlayed: true)
    let access =
      directions.contains(.capture)
      ? CaptureAccess(known.filter { $0.direction == .capture }) : nil
    let chosen = directions.compactMap(ChosenDevice.init)
    let sections = directions.map { direction in
      let usual = chosen.first { $0.direction == direction }?.device ?? "default"
      let listed = found.filter { $0.direction == direction }
        .map { ListedDevice(asking: $0, access, isDefault: $0.name.isSameName(as: usual)) }
      return DeviceSection(
        direction: direction, devices: listed.filter(\.isDefault) + listed.filter { !$0.isDefault })
    }
    return DevicesReport(sections: sections, microphone: access?.status, chosen: chosen)
  }
}

extension Direction: WordValue {
  /// The name of a direction in the usage line.
  package static var placeholder: String { "DIRECTION" }
}

extension DeviceDescription {
  /// Whether the device is listed without `--all`. Excludes the many names that ALSA's
  /// configuration defines for each card and for ALSA's plugins.
  fileprivate var isOfInterest: Bool {
    origin != .configured || ["default", "pipewire", "pulse", "jack"].contains(name)
  }
}
