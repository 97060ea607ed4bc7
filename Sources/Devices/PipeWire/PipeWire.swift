internal import Audio
internal import JSON
internal import Linux

/// The sound server of most desktops, as `pw-dump` describes it.
package enum PipeWire {
  /// The reason why the server's nodes are unknown.
  package enum Failure: Error, Hashable, Sendable {
    /// `pw-dump` is not installed.
    case noTool
    /// No server can be reached.
    case noServer
    /// A server is there and does not answer, as one that is suspended.
    case noAnswer(Duration)
  }

  /// Longer than a busy server takes.
  private static let patience = Duration.seconds(2)
  private static let largestDump = 16 << 20

  /// The server's nodes at present.
  ///
  /// - Parameter server: the server's name, where it is not the usual one.
  package static func graph(of server: String? = nil) throws(Failure) -> PipeWireGraph {
    guard let tool = ExecutablePath.find("pw-dump") else { throw .noTool }
    let environment = Environment.all.filter { !$0.begins(with: "LC_") } + ["LC_ALL=C"]
    let spawn = Spawn(
      tool, server.map { ["--remote", $0] } ?? [], environment: environment)
    let output: [UInt8]
    do throws(SystemError) {
      output = try spawn.output(atMost: largestDump, within: patience)
    } catch {
      throw error.errno == .timedOut ? .noAnswer(patience) : .noServer
    }
    guard let graph = PipeWireGraph(dump: output) else { throw .noServer }
    return graph
  }
}

extension PipeWire.Failure: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .noTool: "pw-dump is not installed"
    case .noServer: "no PipeWire is running here"
    case .noAnswer(let limit): "PipeWire did not answer within \(limit.components.seconds) s"
    }
  }
}

/// A microphone, a speaker or another audio node of PipeWire's.
package struct PipeWireNode: Hashable, Sendable {
  /// PipeWire's own name for it, which stays after a reboot.
  package let name: String
  /// Its number in the running server, which `NODE=` takes as well.
  package let serial: Int64
  /// PipeWire's description for users.
  package let title: String
  /// The directions of its streams.
  package let directions: Set<Direction>
  /// Its own capabilities, without the server's conversions; nil where the server does not state
  /// them.
  package let capabilities: Capabilities?
  /// True if the server mutes it.
  package let isMuted: Bool
  /// The loudest channel, 1 being unchanged; nil where the server does not state it.
  package let volume: Double?
  /// The directions for which it is the default.
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

  /// The last state of each object. Objects that change during the dump come in lists before and
  /// after the main one.
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

extension Capabilities {
  /// The capabilities in the formats that a node enumerates; nil where none is of plain samples.
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

  /// A value is alone, or an object of its default with a range or with alternatives.
  private static func alternatives(_ value: JSONValue?) -> [JSONValue] {
    value?.object?.members.map(\.value) ?? value.map { [$0] } ?? []
  }

  /// Counts and rates; a server may say anything, and the length of a range has to fit in an `Int`.
  private static func numbers(_ value: JSONValue?) -> [Int] {
    alternatives(value).compactMap { $0.integer(in: 1...Int(Int32.max)) }
  }

  /// PipeWire's names; P stands for planar channels, which the server interleaves.
  private static let samples: [String: SampleFormat] = [
    "S16LE": .int16, "S16P": .int16, "S24LE": .int24Packed, "S24P": .int24Packed,
    "S24_32LE": .int24, "S24_32P": .int24, "S32LE": .int32, "S32P": .int32, "F32LE": .float32,
    "F32P": .float32, "F64LE": .float64, "F64P": .float64,
  ]
}
