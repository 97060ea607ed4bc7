internal import CommandLine
internal import Devices

/// A device with its capabilities, to be shown.
struct ListedDevice: Equatable {
  let description: DeviceDescription
  /// Its capabilities; nil for built-in devices, which take any format and are not asked.
  let capabilities: Capabilities?
  /// The reason why it could not be asked; nil where it could.
  let error: DeviceError?
  /// True if an attempt was made to open it.
  var isOpened = false
  /// True if it was not opened, because it captures and microphone access is missing.
  var isWithheld = false

  /// Asks the device if it may be opened; one that cannot be opened is listed with the reason.
  ///
  /// - Parameter access: the permission to open capture devices.
  init(asking description: DeviceDescription, _ access: CaptureAccess?) {
    var capabilities: Capabilities?
    var failure: DeviceError?
    switch description.origin {
    case .builtIn: break
    // Through ALSA every node can do everything, because the server converts.
    case .pipeWire(let node): capabilities = node.capabilities
    case .kernel, .configured:
      if description.direction == .capture, access?.allows(description.name) != true {
        self.init(description, nil, nil)
        isWithheld = true
        return
      }
      do throws(DeviceError) {
        capabilities = try Capabilities(of: description.name, description.direction)
      } catch {
        failure = error
      }
    }
    self.init(description, capabilities, failure)
    isOpened = failure != nil || description.origin.isOpened
  }

  init(_ description: DeviceDescription, _ capabilities: Capabilities?, _ error: DeviceError?) {
    self.description = description
    self.capabilities = capabilities
    self.error = error
  }

  /// True for the device of recordings and sounds for which no other is named.
  var isDefault: Bool { description.name == "default" }

  /// True for the node that PipeWire gives to programs that name none.
  var isPipeWireDefault: Bool {
    guard case .pipeWire(let node) = description.origin else { return false }
    return node.defaults.contains(description.direction)
  }

  func text(_ style: Style) -> String {
    let mark = isDefault ? "  (used unless --device names another)" : ""
    let name = "  " + style.heading(printable(description.name)) + mark
    let lines = facts.flatMap { wrapped(printable($0), width: textWidth - 6) }
    return ([name] + lines.map { "      " + $0 }).joined(separator: "\n") + "\n"
  }

  private var facts: [String] {
    let holders = alternatives(description.holders.map(\.description), "and")
    return [
      description.title + (isPipeWireDefault ? " (PipeWire's default)" : ""),
      capabilities?.summary ?? error?.finding ?? "",
      holders.isEmpty ? "" : "in use by " + holders,
    ].filter { !$0.isEmpty }
  }
}

extension DeviceDescription.Origin {
  /// True for devices whose capabilities are known only while they are open.
  fileprivate var isOpened: Bool {
    switch self {
    case .kernel, .configured: true
    case .builtIn, .pipeWire: false
    }
  }
}
