internal import Audio
internal import JSON
internal import Linux

/// PipeWire, the sound server of most desktops, as described by the tool `pw-dump`.
package enum PipeWireDump {
  /// The reason why the server's nodes are unknown.
  package enum Failure: Error, Hashable, Sendable {
    /// `pw-dump` is not installed.
    case noTool
    /// No server can be reached.
    case noServer
    /// A server exists but does not answer, for example because it is suspended.
    case noAnswer(Duration)
  }

  /// The default time limit. Even a busy server answers faster.
  package static let patience = Duration.seconds(2)
  private static let largestDump = 16 << 20

  /// Returns the server's current nodes.
  ///
  /// - Parameters:
  ///   - server: the name of the server, or nil for the default server.
  ///   - limit: the time limit, after which `pw-dump` is killed.
  package static func graph(
    of server: String? = nil, within limit: Duration = patience
  ) throws(Failure) -> PipeWireGraph {
    guard let tool = ExecutablePath.find("pw-dump") else { throw .noTool }
    let environment = Environment.all.filter { !$0.begins(with: "LC_") } + ["LC_ALL=C"]
    let spawn = Spawn(
      tool, server.map { ["--remote", $0] } ?? [], environment: environment)
    let output = try mapError(
      { (error: SystemError) in error.errno == .timedOut ? Failure.noAnswer(limit) : .noServer },
      spawn.output(atMost: largestDump, within: limit))
    guard let graph = PipeWireGraph(dump: output) else { throw .noServer }
    return graph
  }
}

extension PipeWireDump.Failure: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .noTool: "pw-dump is not installed"
    case .noServer: "PipeWire is not running"
    case .noAnswer(let limit): "PipeWire did not answer within \(limit.components.seconds) s"
    }
  }
}

/// A microphone, a speaker or another audio node of PipeWire.
package struct PipeWireNode: Hashable, Sendable {
  /// PipeWire's own name for the node, which does not change at a reboot.
  package let name: String
  /// The number of the node in the running server. `NODE=` also accepts this number.
  package let serial: Int64
  /// PipeWire's description for users.
  package let title: String
  /// The directions of the node's streams.
  package let directions: Set<Direction>
  /// The node's own capabilities, without the server's conversions, or nil if the server does not
  /// report them.
  package let capabilities: Capabilities?
  /// Whether the server mutes the node.
  package let isMuted: Bool
  /// The volume of the loudest channel, or nil if the server does not report it. At a volume of 1,
  /// the server does not change the samples.
  package let volume: Double?
  /// The directions for which the node is the default.
  package internal(set) var defaults: Set<Direction> = []

  /// The argument for `--device`.
  package var deviceName: String {
    let isPlain = name.utf8.allSatisfy { byte in
      Self.plainBytes.contains(byte) || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }
    // A name with characters of ALSA's syntax is replaced by the node's number.
    return "pipewire:NODE=" + (isPlain ? name : "\(serial)")
  }

  private static let plainBytes = Array("-_.+:".utf8)
}

/// The nodes of a PipeWire server at one moment.
package struct PipeWireGraph: Hashable, Sendable {
  /// The nodes that capture or play, in the server's order.
  package let nodes: [PipeWireNode]
  /// The names of the programs that play sound, each once.
  package let programs: [String]

  /// Returns the nodes with streams in this direction, the default first.
  package func nodes(_ direction: Direction) -> [PipeWireNode] {
    let found = nodes.filter { $0.directions.contains(direction) }
    return found.filter { $0.defaults.contains(direction) }
      + found.filter { !$0.defaults.contains(direction) }
  }

  /// Reads the output of `pw-dump`, or returns nil if it is not a list of objects.
  init?(dump: [UInt8]) {
    guard let objects = Self.objects(in: dump) else { return nil }
    var found = objects.compactMap(PipeWireNode.init(object:))
    for direction in Direction.allCases {
      guard let name = Self.defaultName(direction, in: objects) else { continue }
      for index in found.indices where found[index].name.isSameName(as: name) {
        found[index].defaults.formUnion(found[index].directions.intersection([direction]))
      }
    }
    nodes = found
    programs = Self.programs(in: objects)
  }

  private static func programs(in objects: [JSONValue]) -> [String] {
    let properties = objects.compactMap { $0["info"]?["props"] }
    let playing = properties.filter { $0["media.class"]?.string == "Stream/Output/Audio" }
    var seen: Set<Path> = []
    return playing.compactMap { $0["application.name"]?.string }
      .filter { seen.insert(Path($0)).inserted }
  }

  /// Returns the last state of each object. If objects change during the dump, the dump has several
  /// lists, and an object may be in more than one of them.
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
  /// Reads a node, or returns nil for any object that is not a node for capture or playback.
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

extension Capabilities {
  /// The capabilities that the formats of a node describe, or nil if no format has uncompressed
  /// samples.
  init?(formats: [JSONValue]) {
    let plain = formats.filter { $0["mediaSubtype"]?.string == "raw" }
    let rates = plain.flatMap { Self.numbers($0["rate"]) }
    let channels = plain.flatMap { Self.numbers($0["channels"]) }
    guard let slowest = rates.min(), let fastest = rates.max(), let fewest = channels.min(),
      let most = channels.max()
    else { return nil }
    let names = plain.flatMap { Self.alternatives($0["format"]).compactMap(\.string) }
    let known = Set(names.compactMap { Self.samples[$0] })
    let isRange = plain.contains { $0["rate"]?["min"] != nil }
    self.init(
      rates: slowest...fastest,
      commonRates: isRange ? [] : Set(rates).sorted().compactMap { SampleRate($0) },
      channels: fewest...most, formats: SampleFormat.allCases.filter(known.contains),
      otherFormats: Set(names.filter { Self.samples[$0] == nil }).sorted())
  }

  /// Returns the value itself, or all members if the value is an object. Such an object has a
  /// default value, and a range or alternatives.
  private static func alternatives(_ value: JSONValue?) -> [JSONValue] {
    value?.object?.members.map(\.value) ?? value.map { [$0] } ?? []
  }

  /// Returns the counts or rates in a value. Leaves out numbers that are not from 1 to `Int32.max`:
  /// a server may send any number, but the length of a range has to fit in an `Int`.
  private static func numbers(_ value: JSONValue?) -> [Int] {
    alternatives(value).compactMap { $0.integer(in: 1...Int(Int32.max)) }
  }

  /// PipeWire's names of the sample formats. A final P means planar channels, which the server
  /// interleaves.
  private static let samples: [String: SampleFormat] = [
    "S16LE": .int16, "S16P": .int16, "S24LE": .int24Packed, "S24P": .int24Packed,
    "S24_32LE": .int24, "S24_32P": .int24, "S32LE": .int32, "S32P": .int32, "F32LE": .float32,
    "F32P": .float32, "F64LE": .float64, "F64P": .float64,
  ]
}
