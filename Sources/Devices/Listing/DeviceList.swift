/// The devices of this machine.
package enum DeviceList {
  /// Kernel devices first, then the names of ALSA's configuration, then the built-in ones.
  ///
  /// A machine without a card is no error: the list is short.
  package static func all(_ direction: Direction) -> [DeviceDescription] {
    let kernel = kernelDevices(direction)
    let known = Set(kernel.map(\.name))
    let configured = configuredDevices(direction).filter { !known.contains($0.name) }
    return kernel + configured + builtIns(direction)
  }

  /// The nodes of PipeWire, each with the name that opens it; none if PipeWire does not answer.
  package static func pipeWireNodes(_ direction: Direction) -> [DeviceDescription] {
    guard let graph = try? PipeWire.graph() else { return [] }
    return graph.nodes(direction).map { node in
      DeviceDescription(
        name: node.deviceName, title: node.title, direction: direction, origin: .pipeWire(node),
        holders: [])
    }
  }

  private static func builtIns(_ direction: Direction) -> [DeviceDescription] {
    direction.builtInDevices.map { name in
      DeviceDescription(
        name: name, title: "built in, needs no hardware", direction: direction, origin: .builtIn,
        holders: [])
    }
  }
}
