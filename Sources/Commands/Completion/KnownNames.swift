internal import Audio
internal import Control
internal import Devices
internal import JSON
internal import Linux
internal import Permission
internal import Sounds
internal import Store

/// The names of recordings, devices, takes, sounds and other things that exist now. To find them,
/// no device is opened, and no process is started except `pw-dump`.
struct KnownNames {
  /// The kernel's directory of sound cards. Tests replace it and the paths below.
  var sound = "/proc/asound"
  var alsaFiles = ["/etc/asound.conf"]
  var themes = ["/usr/local/share/sounds", "/usr/share/sounds"]
  /// The function that returns the sounds of the player.
  var player: @Sendable () -> [SoundStatus] = { KnownNames.playedSounds() }

  /// The highest number of takes to offer. A longer list is not useful, and reading it takes time.
  private static let mostTakes = 30
  /// The longest wait for PipeWire or the player. It is short, because the user waits for the
  /// completion.
  private static let patience = Duration.milliseconds(500)

  func all(_ kind: NameKind, _ current: String, plays: Bool) -> [Candidate] {
    switch kind {
    case .sessions: return sessions
    case .devices: return devices(plays: plays)
    case .sounds: return current.begins(with: "@") ? takes : sounds
    case .librarySounds: return sounds
    case .ownSounds: return own
    case .playedSounds: return played(current)
    case .controlledSounds: return Self.distinct(played(current) + sounds)
    case .filesAndTakes: return current.isEmpty || current.begins(with: "@") ? takes : []
    case .clients: return clients
    case .programs: return programs
    case .settings:
      return Settings.all.map { Candidate(text: $0.key, meaning: $0.summary) }
    }
  }

  private var sessions: [Candidate] {
    liveRecords.map { Candidate(text: $0.name, meaning: "running recording") }
  }

  private var liveRecords: [SessionRecord] { (try? SessionClient())?.store.sessions.live ?? [] }

  /// Removes each candidate that has the same text as an earlier candidate.
  private static func distinct(_ candidates: [Candidate]) -> [Candidate] {
    var seen: Set<Path> = []
    return candidates.filter { seen.insert(Path($0.text)).inserted }
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

  /// The newest takes by their numbers, then by their names, each name once.
  private var takes: [Candidate] {
    let newest = newestTakes
    let numbered = newest.compactMap { take in
      let name = (take.path ?? "").pathNames.last ?? take.row.name
      return take.number.map { number in
        Candidate(text: "@\(number)", meaning: "\(name), \(localTime(of: take.row.began))")
      }
    }
    let named = newest.map { take in
      Candidate(text: "@\(take.row.name)", meaning: "newest take of that name")
    }
    return numbered + Self.distinct(named)
  }

  /// The takes to offer, the newest first.
  private var newestTakes: [ListedTake] {
    guard let store = try? SessionClient().store else { return [] }
    return store.catalogue.newestTakes(Self.mostTakes).reversed()
  }
}

// MARK: - Tracks

extension KnownNames {
  /// Returns the tracks of the running recording with this name, or of all running recordings if
  /// `name` is nil.
  func tracks(ofRecording name: String?) -> [Candidate] {
    let records = liveRecords.filter { record in name.map(record.isNamed) ?? true }
    return Self.candidates(records.flatMap(\.tracks))
  }

  /// Returns the tracks of the takes that `words` name by references or paths.
  ///
  /// - Parameter plays: true for `play`, which accepts only tracks with a file of their own.
  func tracks(ofTakes words: [String], plays: Bool) -> [Candidate] {
    let newest = newestTakes
    let takes = words.compactMap { word -> ListedTake? in
      guard let reference = TakeReference(word) else {
        let path = Program.absolutePath(of: word)
        return newest.first { $0.files.contains(name: path) }
      }
      guard let number = reference.number else {
        return newest.first { $0.names.contains(name: reference.text) }
      }
      return newest.first { $0.number == number }
    }
    return Self.candidates(takes.flatMap(\.tracks).filter { !plays || $0.file != nil })
  }

  private static func candidates(_ tracks: [Track]) -> [Candidate] {
    distinct(
      tracks.compactMap { track in
        track.name.map { Candidate(text: $0, meaning: "track of \(track.device)") }
      })
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
    return Self.distinct(found)
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

  /// Returns the nodes of PipeWire, or no nodes if PipeWire is not running.
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
    var found: [Path: String] = [:]
    for theme in themes {
      for name in Self.soundNames(in: theme + "/freedesktop/stereo") {
        found[Path(name)] = "from the desktop"
      }
    }
    for (name, meaning) in Self.bundled { found[Path(name)] = meaning }
    for sound in own { found[Path(sound.text)] = sound.meaning }
    return found.sorted { $0.key.text < $1.key.text }.map {
      Candidate(text: $0.key.text, meaning: $0.value)
    }
  }

  private var own: [Candidate] {
    guard let base = try? BaseDirectories(.current()) else { return [] }
    let names = Self.soundNames(in: base.data + "/sounds").sorted()
    return Self.distinct(names.map { Candidate(text: $0, meaning: "your own") })
  }

  /// Returns the sounds of the player, each with the shortest name that commands accept. For a
  /// file, this is the file name, or the whole path if several files have that name or if `current`
  /// is a path.
  private func played(_ current: String) -> [Candidate] {
    let sounds = player()
    return Self.distinct(
      zip(sounds, sounds.shownNames).map { sound, shown in
        let isWhole = current.begins(with: "/") || shown.holds("/")
        return Candidate(text: isWhole ? sound.name : shown, meaning: sound.state.rawValue)
      })
  }

  /// Returns the sounds of the player, or no sounds if no player is running.
  private static func playedSounds() -> [SoundStatus] {
    guard var client = try? PlayerClient.listening(within: patience),
      let report = try? SoundStatusReport(client.ask(.status, waitingUpTo: patience))
    else { return [] }
    return report.sounds
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
