internal import Audio
internal import Devices
internal import JSON
internal import Permission

/// The capture devices or the playback devices.
struct DeviceSection: Equatable {
  let direction: Direction
  let devices: [ListedDevice]

  var title: String { direction == .capture ? "Recording" : "Playing" }

  /// The devices that are not built in.
  var real: [ListedDevice] { devices.filter { $0.description.origin != .builtIn } }

  /// Whether any of these devices works. A device that is in use or was not opened counts as
  /// working.
  var isUsable: Bool { real.contains { $0.error == nil || !$0.description.holders.isEmpty } }
}

/// The report of `devices`: the capture devices, the playback devices and the test devices.
struct DevicesReport: Report, Equatable {
  let sections: [DeviceSection]
  /// The permission to open capture devices, or nil if no capture devices are listed.
  var microphone: AuthorizationStatus?
  /// The devices that a variable or a setting names, in the listed directions.
  var chosen: [ChosenDevice] = []

  func text(_ style: Style) -> String {
    (sections.map { text($0, style) } + [testDevices(style)] + chosenLines + withheld + advice)
      .joined(separator: "\n")
  }

  private func text(_ section: DeviceSection, _ style: Style) -> String {
    let devices = section.real.map { $0.text(style) }.joined()
    return style.heading(section.title) + "\n" + (devices.isEmpty ? "  no device\n" : devices)
  }

  private func testDevices(_ style: Style) -> String {
    let rows = sections.map { section in
      (section.title, section.direction.builtInDevices.joined(separator: ", "))
    }
    return style.heading("Test devices, which need no hardware") + "\n" + definitions(rows)
  }

  private var chosenLines: [String] {
    chosen.isEmpty
      ? [] : [chosen.map { paragraph("\($0.words), used without --device") }.joined()]
  }

  private var withheld: [String] {
    guard sections.contains(where: { $0.devices.contains(where: \.isWithheld) }) else { return [] }
    return [
      paragraph(
        "Without microphone access, capture devices are not opened. To see your access, type: "
          + "recorder permission")
    ]
  }

  private var advice: [String] {
    sections.allSatisfy(\.isUsable)
      ? [] : [paragraph("\"recorder doctor\" shows the cause and what to do.")]
  }
}

extension DevicesReport {
  var json: JSONObject {
    [
      "devices": .array(sections.flatMap(\.devices).map(\.json)),
      "microphone": (microphone.map { "\($0)" }).map(JSONValue.string) ?? nil,
    ]
  }
}

extension ListedDevice {
  fileprivate var json: JSONValue {
    [
      "name": .string(description.name),
      "title": .string(description.title),
      "direction": .string(description.direction.rawValue),
      "origin": .string(description.origin.word),
      "default": .bool(isDefault),
      "node": node ?? nil,
      "card": description.card?.json ?? nil,
      "opened": .bool(isOpened),
      "capabilities": capabilities?.json ?? nil,
      "holders": .array(description.holders.map(\.json)),
      "error": (error?.description).map(JSONValue.string) ?? nil,
    ]
  }

  private var node: JSONValue? {
    guard let node = description.origin.node else { return nil }
    return [
      "name": .string(node.name), "serial": .integer(node.serial),
      "default": .bool(isPipeWireDefault),
    ]
  }
}

extension DeviceDescription {
  fileprivate var card: Card? {
    if case .kernel(let card) = origin { card } else { nil }
  }
}

extension DeviceDescription.Origin {
  fileprivate var word: String {
    switch self {
    case .builtIn: "builtIn"
    case .kernel: "kernel"
    case .configured: "configured"
    case .pipeWire: "pipewire"
    case .output: "output"
    case .program: "program"
    }
  }
}

extension DeviceDescription.Card {
  fileprivate var json: JSONValue {
    [
      "number": number.json, "id": .string(id), "name": .string(name),
      "driver": .string(driver), "device": device.json,
      "subdevices": subdevices.json, "free": free.json,
    ]
  }
}

extension DeviceHolder {
  fileprivate var json: JSONValue {
    ["pid": process.json, "program": .string(program)]
  }
}

extension Capabilities {
  fileprivate var json: JSONValue {
    [
      "rates": [rates.lowerBound.json, rates.upperBound.json],
      "commonRates": commonRates.map(\.hertz).json,
      "channels": [channels.lowerBound.json, channels.upperBound.json],
      "formats": (formats.map(\.rawValue) + otherFormats).json,
    ]
  }
}

/// A device of the list, with its capabilities.
struct ListedDevice: Equatable {
  let description: DeviceDescription
  /// The capabilities, or nil if they were not read. Built-in devices accept any format and are not
  /// opened.
  var capabilities: Capabilities?
  /// The reason why the capabilities could not be read, or nil.
  var error: DeviceError?
  /// Whether recordings or sounds use this device if no other is named.
  var isDefault = false
  /// True if an attempt was made to open the device.
  var isOpened = false
  /// True if the device was not opened, because it is a capture device and microphone access is
  /// missing.
  var isWithheld = false
}

extension ListedDevice {
  /// Reads the capabilities of the device if it may be opened. A device that cannot be opened is
  /// listed with the reason.
  ///
  /// - Parameter access: the permission to open capture devices.
  init(asking description: DeviceDescription, _ access: CaptureAccess?, isDefault: Bool = false) {
    self.init(description: description, isDefault: isDefault)
    switch description.origin {
    case .builtIn, .output, .program: break
    // The capabilities of the node itself are used. ALSA would report every rate and format,
    // because the sound server converts between them.
    case .pipeWire(let node): capabilities = node.capabilities
    case .kernel, .configured:
      isWithheld = description.direction == .capture && access?.allows(description.name) != true
      isOpened = !isWithheld
      if isOpened { open() }
    }
  }

  private mutating func open() {
    do throws(DeviceError) {
      capabilities = try Capabilities(of: description.name, description.direction)
    } catch {
      self.error = error
    }
  }

  /// Whether PipeWire uses this node for programs that name no node.
  var isPipeWireDefault: Bool {
    guard let node = description.origin.node else { return false }
    if case .output = description.origin { return node.defaults.contains(.playback) }
    return node.defaults.contains(description.direction)
  }

  func text(_ style: Style) -> String {
    let mark = isDefault ? "(used without --device)" : ""
    let name = printable(description.name)
    let isBeside = columns(of: name) + columns(of: mark) + 4 <= textWidth
    let head = "  " + style.heading(name) + (isBeside && isDefault ? "  " + mark : "")
    let facts = (isBeside || !isDefault ? [] : [mark]) + facts
    let lines = facts.flatMap { wrapped(printable($0), width: textWidth - 6) }
    return ([head] + lines.map { "      " + $0 }).joined(separator: "\n") + "\n"
  }

  private var facts: [String] {
    let holders = alternatives(description.holders.map(\.description), "and")
    return [
      description.title + (isPipeWireDefault ? " (PipeWire's default)" : ""),
      capabilities?.summary ?? error?.description ?? "",
      holders.isEmpty ? "" : "in use by " + holders,
    ].filter { !$0.isEmpty }
  }
}

extension DeviceDescription.Origin {
  fileprivate var node: PipeWireNode? {
    switch self {
    case .pipeWire(let node), .output(let node): node
    case .builtIn, .kernel, .configured, .program: nil
    }
  }
}

extension Capabilities {
  /// One line such as `44100, 48000 Hz; stereo; S16 S32`. For a plugin without limits, the line has
  /// `any rate` and `any number of channels`.
  var summary: String {
    [rateText, channelText, formatText].joined(separator: "; ")
  }

  private var rateText: String {
    if rates.upperBound > 768_000 { return "any rate" }
    let common = commonRates.map(\.hertz)
    let isListed = (1...4).contains(common.count) && common.last == rates.upperBound
    return isListed ? "\(common.map(String.init).joined(separator: ", ")) Hz" : "\(span(rates)) Hz"
  }

  private var channelText: String {
    if channels.upperBound > 1_024 { return "any number of channels" }
    let only = channels.count == 1 ? ChannelCount(channels.lowerBound) : nil
    return only.map(\.description) ?? "\(span(channels)) channels"
  }

  /// The device's formats that recorder supports, or all its formats if recorder supports none of
  /// them.
  private var formatText: String {
    let names = formats.isEmpty ? otherFormats : formats.map(\.rawValue)
    return names.joined(separator: " ")
  }

  private func span(_ range: ClosedRange<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}

/// The device that a variable or a setting names for commands without `--device`.
struct ChosenDevice: Equatable {
  let direction: Direction
  let device: String
  /// A clause such as `RECORDER_CAPTURE_DEVICE names "hw:1"`.
  let words: String

  /// The device of a direction, or nil if neither a variable nor a setting names one.
  init?(_ direction: Direction) {
    guard let usual = UsualDevice(plays: direction == .playback) else { return nil }
    self.direction = direction
    device = usual.name
    words = "\(usual.source) names \(quoted(device))"
  }
}
