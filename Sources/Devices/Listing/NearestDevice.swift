internal import Audio
internal import Linux
internal import PipeWire

/// Suggestions for the name of a device that does not exist.
package enum NearestDevice {
  /// A device with its name and the words of its description.
  package struct Candidate {
    let name: String
    let words: [String]
  }

  /// The largest number of suggestions. `recorder devices` shows the whole list.
  private static let most = 3

  /// Searches the words of the devices in three ways: for `typed` itself, for words that contain
  /// `typed`, and for words that differ from `typed` in a few letters. Returns the names of the
  /// devices that the first successful search finds.
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

  /// Returns suggestions from the devices of this machine, or the first cards and nodes if no name
  /// is similar.
  package static func names(to typed: String, _ direction: Direction) -> [String] {
    let all = DeviceList.all(direction)
    let nodes = DeviceList.pipeWireNodes([direction], withPlayed: true)
    let real = nodes + all.filter(\.isOfKernel)
    let speaker = direction == .capture ? [Candidate(name: "output", words: ["output"])] : []
    let near = names(to: typed, among: ((real + all).map(\.candidate) + speaker).unique)
    let usual = real.map(\.name).filter { !Track.recordsSystemAudio($0) }
    return near.isEmpty ? Array(usual.prefix(most)) : near
  }
}

extension [NearestDevice.Candidate] {
  /// Returns the names of the devices similar to `typed`, or of all devices if none is similar.
  func names(near typed: String) -> [String] {
    let near = NearestDevice.names(to: typed, among: self)
    return near.isEmpty ? map(\.name) : near
  }

  fileprivate var unique: Self {
    var seen: Set<Path> = []
    return filter { seen.insert(Path($0.name)).inserted }
  }
}

extension DeviceDescription {
  fileprivate var isOfKernel: Bool { if case .kernel = origin { true } else { false } }

  fileprivate var candidate: NearestDevice.Candidate {
    var words = [name, title]
    switch origin {
    case .kernel(let card): words += ["\(card.number)", card.id, card.name]
    case .pipeWire(let node), .output(let node): words += [node.name, "\(node.serial)"]
    case .builtIn, .configured, .program: break
    }
    return NearestDevice.Candidate(name: name, words: words)
  }
}

extension PipeWireNode {
  /// The candidate for the text after `NODE=`, which is only the name of the node.
  var candidate: NearestDevice.Candidate {
    NearestDevice.Candidate(name: name, words: [name, title])
  }
}

extension Graph.Node {
  /// The candidate for the text after `NODE=` or `output:`, which is only the name of the node.
  var candidate: NearestDevice.Candidate {
    NearestDevice.Candidate(name: name, words: [name, title])
  }
}
