internal import JSON

/// The nodes of a PipeWire server at one instant.
package struct PipeWireGraph: Hashable, Sendable {
  /// The nodes that capture or play, in the server's order.
  package let nodes: [PipeWireNode]

  /// The nodes with streams of that direction, the default first.
  package func nodes(_ direction: Direction) -> [PipeWireNode] {
    let found = nodes.filter { $0.directions.contains(direction) }
    return found.filter { $0.defaults.contains(direction) }
      + found.filter { !$0.defaults.contains(direction) }
  }

  /// Reads the output of `pw-dump`; nil where that is no list of objects.
  init?(dump: [UInt8]) {
    guard let objects = Self.objects(in: dump) else { return nil }
    var found = objects.compactMap(PipeWireNode.init(object:))
    for direction in Direction.allCases {
      let name = Self.defaultName(direction, in: objects)
      for place in found.indices where found[place].name == name {
        found[place].defaults.formUnion(found[place].directions.intersection([direction]))
      }
    }
    nodes = found
  }

  /// The last state of each object. Objects that change during the dump come in lists before and after the main one.
  private static func objects(in dump: [UInt8]) -> [JSONValue]? {
    let limits = JSONLimits(bytes: dump.count, depth: 64)
    guard let lists = try? JSONValue.sequence(decoding: dump.span, limits: limits),
      !lists.isEmpty
    else { return nil }
    var objects: [JSONValue] = []
    for list in lists {
      guard let changed = list.array else { return nil }
      let identifiers = Set(changed.compactMap { $0["id"]?.integer })
      objects.removeAll { $0["id"]?.integer.map(identifiers.contains) ?? false }
      objects += changed.filter { $0["info"] != .null }
    }
    return objects
  }

  private static func defaultName(_ direction: Direction, in objects: [JSONValue]) -> String? {
    let key = direction == .capture ? "default.audio.source" : "default.audio.sink"
    let entries = objects.filter { $0["props"]?["metadata.name"]?.string == "default" }
      .flatMap { $0["metadata"]?.array ?? [] }
    return entries.first { $0["key"]?.string == key }?["value"]?["name"]?.string
  }
}

extension PipeWireNode {
  /// Nil for any object but a node that captures or plays.
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
