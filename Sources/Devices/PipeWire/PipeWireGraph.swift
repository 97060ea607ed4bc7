internal import JSON

/// The nodes of a PipeWire server at one instant.
package struct PipeWireGraph: Hashable, Sendable {
  /// Those that record or play, in the server's order.
  package let nodes: [PipeWireNode]

  /// Those through which sound goes that way, the default first.
  package func nodes(_ direction: Direction) -> [PipeWireNode] {
    let found = nodes.filter { $0.directions.contains(direction) }
    return found.filter { $0.defaults.contains(direction) }
      + found.filter { !$0.defaults.contains(direction) }
  }

  /// Reads what `pw-dump` writes; nil where that is no list of objects.
  init?(dump: [UInt8]) {
    let limits = JSONLimits(bytes: dump.count, depth: 64)
    guard let objects = (try? JSONValue(decoding: dump.span, limits: limits))?.array else {
      return nil
    }
    var found = objects.compactMap(PipeWireNode.init(object:))
    for direction in Direction.allCases {
      let name = Self.defaultName(direction, in: objects)
      for place in found.indices where found[place].name == name {
        found[place].defaults.formUnion(found[place].directions.intersection([direction]))
      }
    }
    nodes = found
  }

  private static func defaultName(_ direction: Direction, in objects: [JSONValue]) -> String? {
    let key = direction == .capture ? "default.audio.source" : "default.audio.sink"
    let entries = objects.filter { $0["props"]?["metadata.name"]?.string == "default" }
      .flatMap { $0["metadata"]?.array ?? [] }
    return entries.first { $0["key"]?.string == key }?["value"]?["name"]?.string
  }
}

extension PipeWireNode {
  /// Nil for any object but a node through which sound enters or leaves the machine.
  fileprivate init?(object: JSONValue) {
    guard object["type"]?.string == "PipeWire:Interface:Node",
      let properties = object["info"]?["props"], let name = properties["node.name"]?.string,
      let directions = Self.directions[properties["media.class"]?.string ?? ""]
    else { return nil }
    self.name = name
    serial = properties["object.serial"]?.integer ?? object["id"]?.integer ?? -1
    title =
      properties["node.description"]?.string ?? properties["node.nick"]?.string ?? name
    self.directions = directions
    let state = object["info"]?["params"]?["Props"]?.array?.first { $0["mute"] != nil }
    isMuted = state?["mute"]?.bool ?? false
    volume = state?["channelVolumes"]?.array?.compactMap(\.number).max()
    capabilities = Capabilities(formats: object["info"]?["params"]?["EnumFormat"]?.array ?? [])
  }

  private static let directions: [String: Set<Direction>] = [
    "Audio/Source": [.capture], "Audio/Source/Virtual": [.capture], "Audio/Sink": [.playback],
    "Audio/Duplex": [.capture, .playback],
  ]
}
