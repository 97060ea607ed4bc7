internal import Linux

extension Graph.Node {
  init?(_ properties: Properties) {
    guard let name = properties["node.name"] else { return nil }
    self.name = name
    serial = properties["object.serial"] ?? ""
    title = properties["node.description"] ?? properties["node.nick"] ?? name
    mediaClass = properties["media.class"] ?? ""
    program = properties["application.name"]
    client = properties[number: "client.id"]
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
