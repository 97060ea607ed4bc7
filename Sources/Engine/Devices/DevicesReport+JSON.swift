internal import Audio
internal import CommandLine
internal import Devices
internal import JSON

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
    guard case .pipeWire(let node) = description.origin else { return nil }
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
    ["process": process.json, "program": .string(program)]
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
