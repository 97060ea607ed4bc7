internal import CALSA
internal import Glibc
internal import Linux

/// The devices of this machine.
package enum DeviceList {
  /// The devices of one direction.
  package static func all(_ direction: Direction) -> [DeviceDescription] { all([direction]) }

  /// Returns the devices of each direction: the kernel's devices first, then the names in ALSA's
  /// configuration, then the built-in devices.
  ///
  /// A machine without a card is not an error; the list is just short. The cards and the
  /// configuration are read once for all directions.
  package static func all(_ directions: [Direction]) -> [DeviceDescription] {
    let kernel = kernel(directions)
    let configured = configuredDevices(directions)
    return directions.flatMap { direction in
      let ours = kernel.filter { $0.direction == direction }
      let known = Set(names: ours.map(\.name))
      return ours
        + configured.filter { $0.direction == direction && !known.contains(name: $0.name) }
        + builtIns(direction)
    }
  }

  /// Returns the nodes of PipeWire, each with the name that opens it, or none if PipeWire does not
  /// answer.
  ///
  /// - Parameters:
  ///   - withPlayed: whether the result includes the sound of speakers and programs.
  ///   - limit: the time limit for the answer.
  package static func pipeWireNodes(
    _ directions: [Direction], withPlayed: Bool = false,
    within limit: Duration = PipeWireDump.patience
  ) -> [DeviceDescription] {
    guard let graph = try? PipeWireDump.graph(within: limit) else { return [] }
    return directions.flatMap { direction in
      graph.nodes(direction).map { node in
        DeviceDescription(
          name: node.deviceName, title: node.title, direction: direction, origin: .pipeWire(node),
          holders: [])
      } + (withPlayed && direction == .capture ? graph.played : [])
    }
  }

  private static func builtIns(_ direction: Direction) -> [DeviceDescription] {
    direction.builtInDevices.map { usage in
      // Removes the optional frequency from `test:tone[:HZ]`.
      let end = usage.range(of: "[")?.lowerBound ?? usage.endIndex
      return DeviceDescription(
        name: String(usage[..<end]), title: "built in, needs no hardware", direction: direction,
        origin: .builtIn, holders: [])
    }
  }
}

extension PipeWireGraph {
  /// The sound of all speakers and programs, as capture devices.
  fileprivate var played: [DeviceDescription] {
    nodes(.playback).map { node in
      DeviceDescription(
        name: "output:" + node.name, title: "sound of \(node.title)", direction: .capture,
        origin: .output(node),
        holders: [])
    }
      + programs.map { program in
        DeviceDescription(
          name: "app:" + program, title: "sound of this program", direction: .capture,
          origin: .program, holders: [])
      }
  }
}

/// One device for `--device`.
package struct DeviceDescription: Hashable, Sendable {
  /// The source of a device.
  package enum Origin: Hashable, Sendable {
    /// This program itself.
    case builtIn
    /// A driver of the kernel.
    case kernel(Card)
    /// ALSA's configuration: a plugin, a sound server or a name for a card.
    case configured
    /// A PipeWire node.
    case pipeWire(PipeWireNode)
    /// The sound of a speaker of PipeWire.
    case output(PipeWireNode)
    /// The sound of a program that plays through PipeWire.
    case program
  }

  /// The card of a kernel device and the device's position on it.
  package struct Card: Hashable, Sendable {
    /// The card's number, which may change at each boot.
    package let number: Int
    /// The card's identifier, which does not change.
    package let id: String
    /// The card's name for users.
    package let name: String
    /// The driver, such as `Loopback`.
    package let driver: String
    /// The device's number on the card.
    package let device: Int
    /// The number of programs that can use the device at the same time.
    package let subdevices: Int
    /// The number of unused subdevices.
    package let free: Int
  }

  /// The argument for `--device`. It does not change at a reboot, except if it contains the number
  /// of a PipeWire node instead of its name.
  package let name: String
  /// A description for users in one line.
  package let title: String
  /// The direction of its stream. A device with both directions is listed twice.
  package let direction: Direction
  /// The source of the device, with the card or node behind it.
  package let origin: Origin
  /// The programs that use the device now. The list is empty for all but kernel devices.
  package let holders: [DeviceHolder]
}

extension DeviceList {
  /// Returns the names in ALSA's configuration. The corresponding C function is
  /// `snd_device_name_hint`.
  private static func configuredDevices(_ directions: [Direction]) -> [DeviceDescription] {
    guard ALSA.refusal == nil else { return [] }
    var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard unsafe alsa.device_name_hint(-1, "pcm", &list) >= 0, let hints = unsafe list else {
      return []
    }
    defer { _ = unsafe alsa.device_name_free_hint(hints) }
    var found: [DeviceDescription] = []
    var index = 0
    while let hint = unsafe hints[index] {
      found += directions.compactMap { unsafe device(hint, $0) }
      index += 1
    }
    return found
  }

  @unsafe private static func device(
    _ hint: UnsafeMutableRawPointer, _ direction: Direction
  ) -> DeviceDescription? {
    // A hint without an IOID is for both directions.
    let way = unsafe text("IOID", hint)
    let isOurs = way == nil || way == (direction == .capture ? "Input" : "Output")
    guard isOurs, let name = unsafe text("NAME", hint) else { return nil }
    let title = unsafe text("DESC", hint) ?? ""
    return DeviceDescription(
      name: name, title: title.split(separator: "\n").joined(separator: ", "),
      direction: direction, origin: .configured, holders: [])
  }

  @unsafe private static func text(_ key: String, _ hint: UnsafeMutableRawPointer) -> String? {
    guard let text = unsafe alsa.device_name_get_hint(hint, key) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}

extension DeviceList {
  /// Returns the devices of all cards, without the names in ALSA's configuration. The corresponding
  /// C function is `snd_card_next`.
  package static func kernel(_ directions: [Direction]) -> [DeviceDescription] {
    guard ALSA.refusal == nil else { return [] }
    let streams = directions.map { CardStreams($0) }
    var found: [DeviceDescription] = []
    var number: CInt = -1
    while unsafe alsa.card_next(&number) >= 0, number >= 0 {
      if let card = CardControl(number) { found += card.devices(among: streams) }
    }
    return found
  }
}

/// The control interface of one card, closed when this value is destroyed.
@safe private struct CardControl: ~Copyable {
  private let pointer: OpaquePointer
  private let number: Int

  /// Opens the interface. Returns nil if the card was removed or the user has no access. The
  /// corresponding C function is `snd_ctl_open`.
  init?(_ number: CInt) {
    var opened: OpaquePointer?
    guard unsafe alsa.ctl_open(&opened, "hw:\(number)", 0) >= 0, let opened = unsafe opened else {
      return nil
    }
    unsafe pointer = opened
    self.number = Int(number)
  }

  deinit { _ = unsafe alsa.ctl_close(pointer) }

  /// Returns the card's devices in the directions of `streams`.
  func devices(among streams: [CardStreams]) -> [DeviceDescription] {
    guard let card = identity() else { return [] }
    var found: [DeviceDescription] = []
    var device: CInt = -1
    while unsafe alsa.ctl_pcm_next_device(pointer, &device) >= 0, device >= 0 {
      for streams in streams {
        if let device = description(of: device, card, streams) { found.append(device) }
      }
    }
    return found
  }

  private struct Identity {
    let id: String
    let name: String
    let driver: String
  }

  private func identity() -> Identity? {
    var made: OpaquePointer?
    guard unsafe alsa.ctl_card_info_malloc(&made) >= 0, let info = unsafe made else { return nil }
    defer { unsafe alsa.ctl_card_info_free(info) }
    guard unsafe alsa.ctl_card_info(pointer, info) >= 0 else { return nil }
    return unsafe Identity(
      id: text(alsa.ctl_card_info_get_id(info)), name: text(alsa.ctl_card_info_get_name(info)),
      driver: text(alsa.ctl_card_info_get_driver(info)))
  }

  /// Returns nil if the device has no streams in the direction of `streams`.
  private func description(
    of device: CInt, _ card: Identity, _ streams: CardStreams
  ) -> DeviceDescription? {
    var made: OpaquePointer?
    guard unsafe alsa.pcm_info_malloc(&made) >= 0, let info = unsafe made else { return nil }
    defer { unsafe alsa.pcm_info_free(info) }
    unsafe alsa.pcm_info_set_device(info, CUnsignedInt(device))
    unsafe alsa.pcm_info_set_subdevice(info, 0)
    let stream = streams.direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
    unsafe alsa.pcm_info_set_stream(info, stream)
    guard unsafe alsa.ctl_pcm_info(pointer, info) >= 0 else { return nil }
    let origin = unsafe DeviceDescription.Card(
      number: number, id: card.id, name: card.name, driver: card.driver, device: Int(device),
      subdevices: Int(alsa.pcm_info_get_subdevices_count(info)),
      free: Int(alsa.pcm_info_get_subdevices_avail(info)))
    let name = "hw:CARD=\(card.id),DEV=\(device)"
    return unsafe DeviceDescription(
      name: name, title: "\(card.name), \(text(alsa.pcm_info_get_name(info)))",
      direction: streams.direction, origin: .kernel(origin), holders: streams.holders(of: name))
  }

  @unsafe private func text(_ words: UnsafePointer<CChar>?) -> String {
    guard let words = unsafe words else { return "" }
    return unsafe String(cString: words)
  }
}
