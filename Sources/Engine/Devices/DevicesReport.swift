internal import CommandLine
internal import Devices
internal import Permission

/// The capture devices or the playback devices.
struct DeviceSection: Equatable {
  let direction: Direction
  let devices: [ListedDevice]

  var title: String { direction == .capture ? "Recording" : "Playing" }

  /// The devices that are not built in.
  var real: [ListedDevice] { devices.filter { $0.description.origin != .builtIn } }

  var builtIn: [ListedDevice] { devices.filter { $0.description.origin == .builtIn } }

  /// True if any of them can be used now.
  var isUsable: Bool { real.contains { $0.error == nil || !$0.description.holders.isEmpty } }
}

/// The report of `devices`: capture and playback devices, and those for tests.
struct DevicesReport: Report, Equatable {
  let sections: [DeviceSection]
  /// The permission that decided whether capture devices were opened; nil where none were listed.
  var microphone: AuthorizationStatus?

  func text(_ style: Style) -> String {
    (sections.map { text($0, style) } + [testDevices(style)] + withheld + advice)
      .joined(separator: "\n")
  }

  private func text(_ section: DeviceSection, _ style: Style) -> String {
    let devices = section.real.map { $0.text(style) }.joined()
    return style.heading(section.title) + "\n" + (devices.isEmpty ? "  no device\n" : devices)
  }

  private func testDevices(_ style: Style) -> String {
    let rows = sections.map { section in
      (section.title, section.builtIn.map(\.description.name).joined(separator: ", "))
    }
    return style.heading("Test devices, which need no hardware") + "\n" + definitions(rows)
  }

  private var withheld: [String] {
    guard sections.contains(where: { $0.devices.contains(where: \.isWithheld) }) else { return [] }
    return ["Without microphone access, capture devices are not opened: recorder permission\n"]
  }

  private var advice: [String] {
    sections.allSatisfy(\.isUsable) ? [] : ["\"recorder doctor\" says why, and what to do.\n"]
  }
}
