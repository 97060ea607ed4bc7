internal import Linux

/// The PipeWire node in a PCM name such as `pipewire:NODE=mic`.
///
/// If the requested node does not exist, PipeWire silently uses another node. So the node is
/// verified before the PCM is opened.
struct NodeName: Hashable {
  /// The whole name, as passed to ALSA.
  let device: String
  let node: String
  let server: String?

  /// Reads `pipewire:NODE=…`, or returns nil if the name has no node.
  init?(_ device: String) {
    guard device.begins(with: "pipewire:") else { return nil }
    var named: [String: String] = [:]
    let arguments = device.utf8.dropFirst(9).split(separator: UInt8(ascii: ","))
    for (index, argument) in arguments.enumerated() {
      let parts = argument.split(separator: UInt8(ascii: "="), maxSplits: 1)
        .map { String(Substring($0)) }
      let key = parts.count == 2 ? parts[0] : index == 0 ? "SERVER" : index == 1 ? "NODE" : ""
      named[key] = parts.last
    }
    // To the plugin, −1 means any node.
    guard let node = named["NODE"], !node.isEmpty, node != "-1" else { return nil }
    self.device = device
    self.node = node
    server = named["SERVER"]
  }

  /// Finds the node on the server. Throws if the server has no such node in this direction.
  func verified(_ direction: Direction) throws(DeviceError) -> PipeWireNode {
    let nodes = try mapError(
      { DeviceError.unverifiable(device: device, $0) },
      PipeWireDump.graph(of: server).nodes(direction))
    let found = nodes.first { $0.name.isSameName(as: node) || "\($0.serial)" == node }
    guard let found else { throw Self.absent(node, direction, among: nodes) }
    return found
  }

  private static func absent(
    _ node: String, _ direction: Direction, among nodes: [PipeWireNode]
  ) -> DeviceError {
    .noNode(node, direction, near: nodes.map(\.candidate).names(near: node))
  }

  /// Returns the error for a name such as `pipewire:mic`. ALSA cannot open it, because ALSA reads
  /// `mic` as the name of a server, although the user means a node. Returns nil for any other name,
  /// and if PipeWire cannot list its nodes.
  static func mistaken(_ device: String, _ direction: Direction) -> DeviceError? {
    guard device.begins(with: "pipewire:") else { return nil }
    let word = device.trimmingBytes(first: 9)
    guard !word.isEmpty, !word.utf8.contains(UInt8(ascii: "=")),
      let graph = try? PipeWireDump.graph()
    else { return nil }
    return absent(word, direction, among: graph.nodes(direction))
  }
}
