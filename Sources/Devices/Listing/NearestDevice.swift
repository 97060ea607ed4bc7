internal import Linux

/// Suggestions for the name of a device that does not exist.
package enum NearestDevice {
  /// A device by its name and by the words of its description.
  package struct Candidate {
    let name: String
    let words: [String]
  }

  /// The most suggestions; `recorder devices` has the whole list.
  private static let most = 3

  /// The names of devices that equal the typed text; else of those that contain it; else of those
  /// that differ in a few letters.
  package static func names(to typed: String, among devices: [Candidate]) -> [String] {
    let typed = typed.lowercased()
    let ways: [(String) -> Bool] = [
      { $0 == typed }, { typed.utf8.count >= 2 && $0.holds(typed) },
      { !nearestNames(to: typed, among: [$0]).isEmpty },
    ]
    let found = ways.lazy.map { way in
      devices.filter { device in device.words.contains { way($0.lowercased()) } }
    }
    return Array((found.first { !$0.isEmpty } ?? []).map(\.name).prefix(most))
  }

  /// Suggestions from the devices of this machine; the first few of them where no name is similar.
  package static func names(to typed: String, _ direction: Direction) -> [String] {
    let real = DeviceList.pipeWireNodes(direction) + DeviceList.kernelDevices(direction)
    let near = names(
      to: typed, among: (real + DeviceList.all(direction)).map(\.candidate).unique)
    return near.isEmpty ? Array(real.map(\.name).prefix(most)) : near
  }
}

extension [NearestDevice.Candidate] {
  fileprivate var unique: Self {
    var seen: Set<String> = []
    return filter { seen.insert($0.name).inserted }
  }
}

extension DeviceDescription {
  fileprivate var candidate: NearestDevice.Candidate {
    // A tone's pitch may be added to its name.
    let end = name.place(of: "[")?.lowerBound ?? name.endIndex
    let plain = String(name[..<end])
    var words = [plain, title]
    switch origin {
    case .kernel(let card): words += ["\(card.number)", card.id, card.name]
    case .pipeWire(let node): words += [node.name, "\(node.serial)"]
    case .builtIn, .configured: break
    }
    return NearestDevice.Candidate(name: plain, words: words)
  }
}

extension PipeWireNode {
  /// The node by its own name alone, as it stands behind `NODE=`.
  var candidate: NearestDevice.Candidate {
    NearestDevice.Candidate(name: name, words: [name, title])
  }
}
