internal import Audio
internal import Devices
internal import Linux

extension Machine {
  /// Reads the facts of this machine; records, plays and changes nothing.
  static func current() -> Machine {
    var machine = Machine()
    machine.engine = (try? ExecutablePath.current()) ?? "in an unknown place"
    machine.cards = soundCards()
    machine.closedDevices = deviceFiles().filter { !FileSystem.mayReadAndWrite($0) }
    machine.user = currentUser()
    let mayListen = CaptureAccess().allows("default")
    for direction in Direction.allCases {
      let isAsked = direction == .playback || mayListen
      machine.defaults[direction] = isAsked ? defaultDevice(direction) : .withheld
    }
    machine.readDirectories()
    machine.readSound()
    machine.permission = permission()
    return machine
  }

  private static func defaultDevice(_ direction: Direction) -> DefaultDevice {
    do throws(DeviceError) {
      return .able(try Capabilities(of: "default", direction).summary)
    } catch {
      return .unable(error)
    }
  }

  /// The corresponding file is /proc/asound/cards: two lines a card, the first with its name.
  private static func soundCards() -> [String]? {
    guard let bytes = try? Descriptor(opening: "/proc/asound/cards").readAll(upTo: 65_536) else {
      return nil
    }
    return cardNames(String(decoding: bytes, as: UTF8.self))
  }

  /// Reads ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH` as `HDA Intel PCH`.
  static func cardNames(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).compactMap { line in
      guard line.holds("]: "), let dash = line.place(of: " - ") else { return nil }
      return String(line[dash.upperBound...])
    }
  }

  private static func deviceFiles() -> [String] {
    guard let directory = try? Directory("/dev/snd"), let names = try? directory.names() else {
      return []
    }
    return names.filter { $0.hasPrefix("pcm") || $0.hasPrefix("control") }.sorted()
      .map { "/dev/snd/" + $0 }
  }

  private static func currentUser() -> User {
    let number = Environment.effectiveUser
    guard let account = try? UserAccount(number) else { return User(name: "user \(number)") }
    let audio = audioGroup()
    return User(
      name: account.name, isInAudioGroup: audio.map(account.groups().contains) ?? false,
      hasAudioGroup: audio.map(Environment.groups.contains) ?? false)
  }

  private static func audioGroup() -> UInt32? {
    let bytes = try? Descriptor(opening: "/etc/group").readAll(upTo: 1 << 20)
    let lines = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n")
    let audio = lines.first { $0.hasPrefix("audio:") }
    return audio?.split(separator: ":").dropFirst(2).first.flatMap { UInt32($0) }
  }

  private mutating func readDirectories() {
    places = [Place(purpose: "Disk", path: currentDirectory)]
    do throws(DirectoryRefusal) {
      guard let facts = try? BaseDirectories.Facts.current() else { return }
      let directories = try BaseDirectories(facts)
      places.append(Place(purpose: "State", path: directories.state))
      places.append(Place(purpose: "Sockets", path: directories.runtime))
      if directories.runtime == directories.state {
        missingRuntime = "/run/user/\(Environment.effectiveUser)"
      }
      servers = Self.soundServers(runtime: directories.runtime)
    } catch {
      places.append(Place(purpose: "State", path: error.path, flaw: "it \(error.words)"))
    }
    for index in places.indices { places[index].measure() }
  }

  private var currentDirectory: String {
    (try? SymbolicLink.target(of: "/proc/self/cwd")) ?? "."
  }
}

extension Machine.Place {
  /// Measures the nearest directory that exists: the rest is made when it is needed.
  fileprivate mutating func measure() {
    guard flaw == nil else { return }
    var names = path.pathNames
    var existing = path
    while (try? FileStatus(of: existing)) == nil, !names.isEmpty {
      names.removeLast()
      existing = "/" + names.joined(separator: "/")
    }
    freeBytes = try? FileSystem.freeBytes(at: existing)
    if !FileSystem.mayReadAndWrite(existing) { flaw = "you may not write to \(existing)" }
  }
}
