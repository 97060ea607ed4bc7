internal import Control
internal import CommandLine
internal import Devices

extension Machine {
  /// The checks of all facts, the decisive ones last.
  var checks: [Check] {
    [program, soundCards] + access + soundServers
      + Direction.allCases.compactMap(defaultDevice) + soundChecks + runtime + places.map(space)
  }

  private var program: Check { .ok("Program", "recorder \(Version.current), \(printable(engine))") }

  private var soundCards: Check {
    if cards?.isEmpty != false, worksWithoutCard {
      return .ok("Sound cards", "none here; the default device needs none")
    }
    guard let cards else {
      return .warning(
        "Sound cards", "the kernel shows none: it has no sound, or a container hides it",
        "outside a container: sudo modprobe snd, then look at dmesg",
        "in a container: pass the devices on, as in docker run --device /dev/snd")
    }
    guard !cards.isEmpty else {
      return .warning(
        "Sound cards", "none", "plug one in, or load the driver of the one there is")
    }
    return .ok("Sound cards", cards.map(printable).joined(separator: "; "))
  }

  /// True where the default device works without a card: a sound server may have its cards
  /// elsewhere.
  private var worksWithoutCard: Bool {
    let answers = defaults.values.filter { $0 != .withheld }
    return !answers.isEmpty
      && answers.allSatisfy { if case .able = $0 { true } else { false } }
  }

  private var access: [Check] {
    guard let cards, !cards.isEmpty else { return [] }
    if closedDevices.isEmpty { return [.ok("Access", "\(user.name) may use them")] }
    let finding = "\(user.name) may not use \(closedDevices.joined(separator: ", "))"
    if user.isInAudioGroup && !user.hasAudioGroup {
      return [.warning("Access", finding, "log out and in again: then the group audio counts")]
    }
    return [
      .warning("Access", finding, "sudo usermod -aG audio \(user.name), then log out and in again")
    ]
  }

  private var soundServers: [Check] {
    let running = servers.filter(\.isRunning)
    if running.isEmpty { return [.ok("Sound server", "none runs; ALSA is used directly")] }
    return running.map { server in
      // Where the default device works without a card, the way exists wherever its plugin lies.
      server.hasPlugin || (cards?.isEmpty != false && worksWithoutCard)
        ? .ok("Sound server", "\(server.name) runs, and ALSA reaches it")
        : .warning(
          "Sound server", "\(server.name) runs, but ALSA has no plugin that reaches it",
          "install the plugin: \(server.packages)")
    }
  }

  private func defaultDevice(_ direction: Direction) -> Check? {
    let subject = direction == .capture ? "Recording" : "Playing"
    switch defaults[direction] {
    case nil: return nil
    case .able(let abilities): return .ok(subject, "the default device can: \(abilities)")
    case .unable(let error): return .problem(subject, error.finding, error.advice)
    case .withheld:
      return .warning(
        subject, "the default device was not opened, because microphone access is not allowed",
        "see Permission below, then type \"recorder doctor\" again")
    }
  }

  private var runtime: [Check] {
    guard let missingRuntime else { return [] }
    return [
      .warning(
        "Runtime",
        "neither XDG_RUNTIME_DIR nor \(missingRuntime) is a directory of yours, so sockets "
          + "are kept with the state, and sound servers are not found",
        "log in as this user, or: sudo loginctl enable-linger \(user.name)")
    ]
  }

  /// Judges the free space: a recording stops at 16 MiB, and 5 minutes of CD sound are 50 MiB.
  private func space(_ place: Place) -> Check {
    let name = printable(place.path)
    if let flaw = place.flaw {
      return .problem(
        place.purpose, "\(name): \(flaw)", "make it a directory that you may write to",
        code: .outputRefused)
    }
    guard let free = place.freeBytes else { return .ok(place.purpose, name) }
    let finding = "\(name): \(ByteCount(free)) free"
    if free < 16 << 20 {
      return .problem(place.purpose, finding, "free some space", code: .outputRefused)
    }
    return free < 1 << 30
      ? .warning(place.purpose, finding, "free some space: an hour of stereo takes 660 MiB")
      : .ok(place.purpose, finding)
  }
}
