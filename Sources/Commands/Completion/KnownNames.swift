internal import Control
internal import Devices
internal import JSON
internal import Linux
internal import Permission
internal import Sounds
internal import Store

/// The names that exist now. They are found without opening a device and without the player.
struct KnownNames {
  /// The kernel's directory of sound cards. Tests replace it and the paths below.
  var sound = "/proc/asound"
  var alsaFiles = ["/etc/asound.conf"]
  var themes = ["/usr/local/share/sounds", "/usr/share/sounds"]

  /// The highest number of takes to offer. A longer list is not useful, and reading it takes time.
  private static let mostTakes = 30
  /// The longest wait for PipeWire. It is short, because the user waits for the completion.
  private static let patience = Duration.milliseconds(500)

  func all(_ kind: NameKind, _ current: String, plays: Bool) -> [Candidate] {
    switch kind {
    case .sessions: return sessions
    case .devices: return devices(plays: plays)
    case .sounds: return current.begins(with: "@") ? takes : sounds
    case .filesAndTakes: return current.isEmpty || current.begins(with: "@") ? takes : []
    case .clients: return clients
    case .programs: return programs
    case .settings:
      return Settings.all.map { Candidate(text: $0.key, meaning: $0.summary) }
    }
  }

  private var sessions: [Candidate] {
    guard let store = try? SessionClient().store else { return [] }
    return store.sessions.records.filter(store.sessions.isLive)
      .map { Candidate(text: $0.name, meaning: "running recording") }
  }

  private var clients: [Candidate] {
    let records = (try? MicrophoneAccess.authority())?.store.read().ledger?.records ?? [:]
    return Set(records.keys.map(\.client)).subtracting([.everyone]).map(\.name).sorted()
      .map { Candidate(text: $0, meaning: "program with its own decision") }
  }

  private var programs: [Candidate] {
    let known = (try? (try? MicrophoneAccess.authority())?.programs()) ?? []
    return known.map { program in
      let time = program.lastUse.map { "last used " + localTime(of: $0.sinceEpoch) }
      return Candidate(text: program.client.shown, meaning: time ?? "has a decision")
    }
  }

  /// The newest takes by number, and by name without duplicates.
  private var takes: [Candidate] {
    guard let store = try? SessionClient().store else { return [] }
    let newest = store.catalogue.newestTakes(Self.mostTakes).reversed()
    let numbered = newest.compactMap { take in
      let name = (take.path ?? "").pathNames.last ?? take.row.name
      return take.number.map { number in
        Candidate(text: "@\(number)", meaning: "\(name), \(localTime(of: take.row.began))")
      }
    }
    var seen: Set<Path> = []
    let named = newest.map(\.row.name).filter { seen.insert(Path($0)).inserted }
    return numbered
      + named.map { Candidate(text: "@\($0)", meaning: "newest take of that name") }
  }
}

// MARK: - Devices

extension KnownNames {
  private func devices(plays: Bool) -> [Candidate] {
    let configuration = Configuration.asFarAsGood()
    let usual = plays ? configuration.playbackDevice : configuration.captureDevice
    var found = [Candidate(text: usual, meaning: "used without --device")]
    found += cards(plays: plays) + nodes(plays: plays) + aliases
    found.append(Candidate(text: "default", meaning: "ALSA's default"))
    let tests = plays ? ["test:null"] : ["test:tone", "test:silence", "test:ramp"]
    found += tests.map { Candidate(text: $0, meaning: "needs no hardware") }
    var seen: Set<Path> = []
    return found.filter { seen.insert(Path($0.text)).inserted }
  }

  /// Returns the devices in the kernel's list `/proc/asound/pcm`, such as `00-00: ALC256 Analog :
  /// ALC256 Analog : playback 1 : capture 1`.
  private func cards(plays: Bool) -> [Candidate] {
    Self.lines(of: sound + "/pcm").compactMap { line in
      let fields = line.split(separator: ":").map(String.init)
      let numbers = fields.first?.split(separator: "-").compactMap { Int($0) } ?? []
      let direction = plays ? " playback" : " capture"
      guard numbers.count == 2, fields.count > 2,
        fields.contains(where: { $0.begins(with: direction) }),
        let card = Self.lines(of: "\(sound)/card\(numbers[0])/id").first
      else { return nil }
      let title = fields[1].split(separator: " ").joined(separator: " ")
      return Candidate(text: "hw:CARD=\(card),DEV=\(numbers[1])", meaning: title)
    }
  }

  /// The nodes of PipeWire, if it runs.
  private func nodes(plays: Bool) -> [Candidate] {
    guard DeviceUse.hasPipeWire else { return [] }
    let known = DeviceList.pipeWireNodes(
      [plays ? .playback : .capture], withPlayed: true, within: Self.patience)
    let output = Candidate(text: "output", meaning: "the sound that the default speaker plays")
    return known.map { Candidate(text: $0.name, meaning: $0.title) } + (plays ? [] : [output])
  }

  /// The names that a user or an administrator has defined as `pcm.NAME`.
  private var aliases: [Candidate] {
    let home = Environment.value(of: "HOME").map { [$0 + "/.asoundrc"] } ?? []
    return (home + alsaFiles).flatMap(Self.lines).compactMap { line in
      let text = line.utf8.drop { $0 == 0x20 || $0 == 0x09 }
      guard text.starts(with: "pcm.".utf8) else { return nil }
      let name = String(
        Substring(text.dropFirst(4).prefix { $0 > 0x20 && !"{.=".utf8.contains($0) }))
      guard !name.isEmpty, !name.begins(with: "!") else { return nil }
      return Candidate(text: name, meaning: "from ALSA's configuration")
    }
  }

  private static func lines(of path: String) -> [String] {
    guard let file = try? Descriptor(opening: path, [.readOnly, .nonBlocking]),
      let bytes = try? file.readAll(upTo: 1 << 18)
    else { return [] }
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

// MARK: - Sounds

extension KnownNames {
  private var sounds: [Candidate] {
    let base = try? BaseDirectories(.current())
    var found: [Path: String] = [:]
    for theme in themes {
      for name in Self.soundNames(in: theme + "/freedesktop/stereo") {
        found[Path(name)] = "from the desktop"
      }
    }
    for (name, meaning) in Self.bundled { found[Path(name)] = meaning }
    if let base {
      for name in Self.soundNames(in: base.data + "/sounds") { found[Path(name)] = "your own" }
    }
    return found.sorted { $0.key.text < $1.key.text }.map {
      Candidate(text: $0.key.text, meaning: $0.value)
    }
  }

  /// The names of the sounds that come with recorder, with their meanings.
  private static var bundled: [(String, String)] {
    guard let directory = BundledSounds.directory,
      let file = try? Descriptor(opening: directory.path(of: "index.json")),
      let bytes = try? file.readAll(upTo: 1 << 20),
      let index = try? JSONValue(decoding: bytes.span, limits: JSONLimits(bytes: 1 << 20))
    else { return [] }
    return (index["sounds"]?.array ?? []).compactMap { sound in
      sound["name"]?.string.map { ($0, sound["meaning"]?.string ?? "") }
    }
  }

  private static func soundNames(in path: String) -> [String] {
    guard let directory = try? Directory(path), let names = try? directory.names() else {
      return []
    }
    return names.compactMap { name in
      let (stem, ending) = name.nameParts
      return stem.begins(with: ".") || ending.isEmpty || ending == ".disabled" ? nil : stem
    }
  }
}
