internal import JSON
internal import Linux

/// The stored facts about names of sounds: their volumes, mutes and last plays.
struct SoundMemory {
  private struct Entry {
    var volume = 1.0
    var isMuted = false

    var isUsual: Bool { volume == 1 && !isMuted }
  }

  /// The file with the volumes and the mutes.
  private static let file = "sounds.json"

  private let path: String
  /// The moments of the last plays.
  let played: PlayedMoments
  private var entries: [String: Entry] = [:]

  /// Reads the files; entries that cannot be read are dropped.
  init(in path: String) {
    self.path = path
    played = PlayedMoments(in: path)
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(Self.file, .noFollow),
      let bytes = try? file.readAll(upTo: 1 << 20),
      let root = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: 1 << 20))
    else { return }
    for member in root["sounds"]?.object?.members ?? [] {
      entries[member.key] = Entry(
        volume: member.value["volume"]?.number ?? 1, isMuted: member.value["muted"]?.bool ?? false)
    }
  }

  func volume(of name: String) -> Double { entries[name]?.volume ?? 1 }
  func isMuted(_ name: String) -> Bool { entries[name]?.isMuted ?? false }

  mutating func setVolume(of name: String, to volume: Double) throws(SystemError) {
    entries[name, default: Entry()].volume = volume
    try write()
  }

  mutating func mute(_ name: String, _ isMuted: Bool) throws(SystemError) {
    entries[name, default: Entry()].isMuted = isMuted
    try write()
  }

  private func write() throws(SystemError) {
    let members = entries.filter { !$0.value.isUsual }.sorted { $0.key < $1.key }.map {
      (
        $0.key,
        JSONValue.object(["volume": $0.value.volume.json, "muted": $0.value.isMuted.json])
      )
    }
    let json: JSONObject = ["schema": 1, "sounds": .object(JSONObject(members))]
    let text = Array((JSONValue.object(json).encoded(indented: true) + "\n").utf8)
    try AtomicFile.write(text.span, to: Self.file, in: try Directory(path))
  }
}
