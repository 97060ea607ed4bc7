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

  private static func builtIns(_ direction: Direction) -> [DeviceDescription] {
    direction.builtInDevices.map { name in
      DeviceDescription(
        name: name, title: "built in, needs no hardware", direction: direction, origin: .builtIn,
        holders: [])
    }
  }
}
