internal import Control
internal import JSON
internal import Linux

/// The stored properties of sounds, by name: volumes, mutes and the times of the last plays.
struct SoundStore {
  private struct Entry {
    /// The volume, or nil if no volume was set.
    var volume: Double?
    var isMuted = false

    var isUsual: Bool { volume == nil && !isMuted }
  }

  /// The file with the volumes and the mutes.
  private static let file = "sounds.json"

  private let path: String
  /// The times of the last plays.
  let played: PlayedMoments
  private var entries: [Path: Entry] = [:]

  /// Reads the files. Unreadable entries are ignored.
  init(in path: String) {
    self.path = path
    played = PlayedMoments(in: path)
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(Self.file, .noFollow),
      let bytes = try? file.readAll(upTo: 1 << 20),
      let root = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: 1 << 20))
    else { return }
    for member in root["sounds"]?.object?.members ?? [] {
      entries[Path(member.key)] = Entry(
        volume: member.value["volume"]?.number, isMuted: member.value["muted"]?.bool ?? false)
    }
  }

  /// Returns the volume of a name, or nil if no volume was set.
  func volume(of name: String) -> Double? { entries[Path(name)]?.volume }
  func isMuted(_ name: String) -> Bool { entries[Path(name)]?.isMuted ?? false }

  mutating func setVolume(of name: String, to volume: Double) throws(SystemError) {
    entries[Path(name), default: Entry()].volume = volume
    try write()
  }

  mutating func mute(_ name: String, _ isMuted: Bool) throws(SystemError) {
    entries[Path(name), default: Entry()].isMuted = isMuted
    try write()
  }

  private func write() throws(SystemError) {
    let members = entries.filter { !$0.value.isUsual }.sorted { $0.key.text < $1.key.text }.map {
      name, kept -> (String, JSONValue) in
      var entry: JSONObject = ["muted": kept.isMuted.json]
      entry.set("volume", kept.volume)
      return (name.text, JSONValue.object(entry))
    }
    let json: JSONObject = ["schema": 1, "sounds": .object(JSONObject(distinct: members))]
    let text = Array((JSONValue.object(json).encoded(indented: true) + "\n").utf8)
    try AtomicFile.write(text.span, to: Self.file, in: try Directory(path))
  }
}

/// The times at which sounds were last played on each device, for cooldowns. They survive the
/// closing of a device and the end of the player.
final class PlayedMoments {
  /// The times since 1970. A key consists of the device, a NUL and the name. The device and the
  /// name contain no NUL.
  private var moments: [Path: Duration] = [:]
  private let path: String
  private var hasChanged = false

  /// The file with the times. It is written only once, when the player ends. The volumes have a
  /// separate file, because they are written after each change.
  private static let file = "played.json"
  private static let most = 1_000

  /// Reads the file. Unreadable entries are ignored.
  init(in path: String) {
    self.path = path
    guard let directory = try? PrivateDirectory.open(path),
      let file = try? directory.open(Self.file, .noFollow),
      let bytes = try? file.readAll(upTo: 1 << 20),
      let root = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: 1 << 20))
    else { return }
    for entry in root["played"]?.array ?? [] {
      guard let name = entry["name"]?.string, let device = entry["device"]?.string,
        let moment = entry["at"].flatMap(Duration.init(moment:))
      else { continue }
      moments[Self.key(name, device)] = moment
    }
  }

  private static func key(_ name: String, _ device: String) -> Path {
    Path(device + "\0" + name)
  }

  /// Returns the time since the last play, or nil if there was no play or the clock was set back
  /// after it.
  func past(_ name: String, on device: String) -> Duration? {
    guard let moment = moments[Self.key(name, device)] else { return nil }
    let past = KernelClock.realTime.now - moment
    return past >= .zero ? past : nil
  }

  /// Records a play at the current time.
  func note(_ name: String, on device: String) {
    hasChanged = true
    moments[Self.key(name, device)] = KernelClock.realTime.now
    guard moments.count > Self.most,
      let oldest = moments.min(by: { $0.value < $1.value })
    else { return }
    moments[oldest.key] = nil
  }

  /// Writes the file.
  func save() {
    guard hasChanged, let directory = try? PrivateDirectory.make(at: path) else { return }
    let entries = moments.sorted { $0.value < $1.value }.map { key, moment -> JSONValue in
      let parts = key.text.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
      return [
        "name": .string(String(parts[1])), "device": .string(String(parts[0])),
        "at": moment.moment,
      ]
    }
    let json: JSONObject = ["schema": 1, "played": .array(entries)]
    let text = Array((JSONValue.object(json).encoded() + "\n").utf8)
    try? AtomicFile.write(text.span, to: Self.file, in: directory)
  }
}
