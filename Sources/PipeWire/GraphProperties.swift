internal import Linux

extension Graph.Node {
  /// The largest number of characters of a title. The rest is dropped, because a program can
  /// describe its node with a text of any length, and a long text would make messages about the
  /// node too long.
  static let longestTitle = 256

  init(_ properties: Properties) {
    name = properties["node.name"] ?? ""
    serial = properties["object.serial"] ?? ""
    mediaClass = properties["media.class"] ?? ""
    let text =
      properties["node.description"] ?? properties["node.nick"]
      ?? (name.isEmpty ? mediaClass : name)
    title = String(text.unicodeScalars.prefix(Self.longestTitle))
    program = properties["application.name"]
    client = properties[number: "client.id"]
  }

  /// Sets the details, which the server announces after the node.
  mutating func describe(_ properties: Properties) {
    target = Graph.Target(properties)
    card = Graph.Card(properties)
    awaitsDetails = false
  }
}

extension Graph.Card {
  /// Reads the card that ALSA reported when PipeWire examined the device. PipeWire sets one pair of
  /// properties for a device with card profiles, and another pair for a device without card
  /// profiles. `api.alsa.path` is not used, because it is often a name such as `front:0`.
  init?(_ properties: Properties) {
    let pairs = [("alsa.card", "alsa.device"), ("api.alsa.pcm.card", "api.alsa.pcm.device")]
    for (number, device) in pairs {
      if let number = properties[number: number], let device = properties[number: device] {
        self.init(number: Int(number), device: Int(device))
        return
      }
    }
    return nil
  }
}

extension Graph.Client {
  init(_ properties: Properties, serial: String) {
    self.serial = serial
    let hasAllRights = properties["pipewire.access"] == "unrestricted"
    // Older servers do not name the socket.
    isUnrestricted =
      hasAllRights && properties["pipewire.sec.socket"]?.ends(with: "-manager") == false
    names = ["application.name", "application.process.binary"].compactMap { properties[$0] }
    process = properties["pipewire.sec.pid"].flatMap { Int32($0) }
    claimedProcess = properties["application.process.id"].flatMap { Int32($0) }
  }

  /// Returns whether only the names have changed since an earlier description of the client.
  func isRenamed(since former: Graph.Client) -> Bool {
    var renamed = former
    renamed.names = names
    return renamed == self
  }
}

extension Graph.Port {
  init?(_ properties: Properties) {
    guard let node = properties[number: "node.id"] else { return nil }
    self.node = node
    index = properties[number: "port.id"] ?? 0
    channel = properties["audio.channel"] ?? ""
    isOutput = properties["port.direction"] == "out"
    isMonitor = properties["port.monitor"] == "true"
    isSound = properties["format.dsp"]?.ends(with: "audio") ?? false
  }
}

extension Graph.Link {
  init?(_ properties: Properties) {
    guard let output = properties[number: "link.output.port"],
      let input = properties[number: "link.input.port"]
    else { return nil }
    (self.output, self.input) = (output, input)
  }
}

extension Graph.Target {
  init(_ properties: Properties) {
    name = properties["target.object"] ?? properties["node.target"]
    isPlayed = properties["stream.capture.sink"] == "true"
  }
}

extension Graph.Metadata {
  init(_ properties: Properties) {
    name = properties["metadata.name"] ?? ""
    client = properties[number: "client.id"]
  }
}
