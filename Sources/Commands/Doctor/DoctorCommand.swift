internal import Audio
internal import Control
internal import Devices
internal import Linux
internal import Permission

/// The command `doctor`, which diagnoses recording and playing on this system.
package enum DoctorCommand: RunnableCommand {
  /// The word after `recorder`.
  package static var words: [String] { ["doctor"] }

  /// The description of the command.
  package static var command: Command {
    Command(
      words, section: .machine, summary: "Diagnose sound on this system",
      details: [
        "Checks the sound cards, your access to them, the sound server, the mixers, microphone "
          + "access, the guard, the directories and the free space. Each check is ok, a warning or a problem; "
          + "warnings and problems say what to do. Nothing is recorded, played or changed."
      ],
      examples: [
        Example("recorder doctor", "Check this machine"),
        Example("recorder doctor --quiet", "Show problems only"),
        Example("recorder doctor --json", "Print the checks as JSON"),
      ],
      ends: [
        .device, .outputRefused, .permissionDenied, .permissionRestricted, .permissionUnusable,
      ])
  }
}

extension Machine {
  /// All checks except the checks of the settings, in the order of the report.
  var checks: [Check] {
    [version, soundCards] + access + soundServers
      + Direction.allCases.compactMap(defaultDevice) + soundChecks + runtime
      + usedDirectories.map(space)
  }

  private var version: Check {
    .ok("Program", "recorder \(Version.current), \(printable(program))")
  }

  private var soundCards: Check {
    if cards?.isEmpty != false, worksWithoutCard {
      return .ok("Sound cards", "none, and none is needed")
    }
    guard let cards else {
      return .warning(
        "Sound cards", "the kernel shows none: no driver is loaded, or a container hides them",
        [
          "outside a container: sudo modprobe snd, then check dmesg",
          "in a container: pass the devices to it, as in docker run --device /dev/snd",
        ])
    }
    guard !cards.isEmpty else {
      return .warning(
        "Sound cards", "none", ["plug one in, or load the driver of an existing one"])
    }
    return .ok("Sound cards", cards.map(printable).joined(separator: "; "))
  }

  /// Whether the devices that are used without `--device` work: at least one of them was checked,
  /// and none of the checks failed. The devices can work without a visible card, because the sound
  /// server may run outside of this container.
  private var worksWithoutCard: Bool {
    let answers = defaults.values.filter { $0 != .withheld }
    return !answers.isEmpty
      && answers.allSatisfy { if case .unable = $0 { false } else { true } }
  }

  private var access: [Check] {
    guard let cards, !cards.isEmpty else { return [] }
    if closedDevices.isEmpty { return [.ok("Access", "\(user.name) may use the sound cards")] }
    let finding = "\(user.name) may not use \(closedDevices.joined(separator: ", "))"
    if user.isInAudioGroup && !user.hasAudioGroup {
      return [.warning("Access", finding, ["log out and in again: then the group audio applies"])]
    }
    return [
      .warning(
        "Access", finding, ["sudo usermod -aG audio \(user.name), then log out and in again"])
    ]
  }

  private var soundServers: [Check] {
    let running = servers.filter(\.isRunning)
    if running.isEmpty { return [.ok("Sound server", "none is running; ALSA is used directly")] }
    return running.map { server in
      // If ALSA's default device works without a card, a plugin is installed, even if the search
      // for plugins did not find it.
      server.hasPlugin || (cards?.isEmpty != false && chosen.isEmpty && worksWithoutCard)
        ? .ok("Sound server", "\(server.name) is running, and ALSA can use it")
        : .warning(
          "Sound server", "\(server.name) is running, but ALSA has no plugin for it",
          ["install the plugin: \(server.packages)"])
    }
  }

  private func defaultDevice(_ direction: Direction) -> Check? {
    let subject = direction == .capture ? "Recording" : "Playing"
    let source = chosen.first { $0.direction == direction }?.words
    let device = source.map { $0 + ", which" } ?? "the default device"
    switch defaults[direction] {
    case nil: return nil
    case .able(let abilities): return .ok(subject, "\(device) supports: \(abilities)")
    case .unable(let error):
      return .problem(
        subject, (source.map { $0 + ": " } ?? "") + "\(error)", error.advice(for: direction))
    case .withheld:
      return .warning(
        subject, "\(device) was not opened, because microphone access is not allowed",
        ["see Permission below, then type \"recorder doctor\" again"])
    case .unchecked: return .ok(subject, "\(device) is opened only when it is used")
    }
  }

  private var runtime: [Check] {
    guard let missingRuntime else { return [] }
    return [
      .warning(
        "Runtime",
        "neither XDG_RUNTIME_DIR nor \(missingRuntime) is a directory of yours, so sockets "
          + "are in the state directory, and sound servers are not found",
        ["log in as this user, or: sudo loginctl enable-linger \(user.name)"])
    ]
  }

  /// Checks whether the directory can be used, and how much space is free. Less than 16 MiB is a
  /// problem, because recordings then stop. Less than 1 GiB is a warning, because an hour of stereo
  /// takes 660 MiB.
  private func space(_ directory: UsedDirectory) -> Check {
    let name = printable(directory.path)
    if let flaw = directory.flaw {
      return .problem(
        directory.purpose, "\(name): \(flaw)", ["make it a directory that you can write to"],
        code: .outputRefused)
    }
    guard let free = directory.freeBytes else { return .ok(directory.purpose, name) }
    let finding = "\(name): \(ByteCount(free)) free"
    if free < 16 << 20 {
      return .problem(directory.purpose, finding, ["free some space"], code: .outputRefused)
    }
    return free < 1 << 30
      ? .warning(directory.purpose, finding, ["free some space: an hour of stereo takes 660 MiB"])
      : .ok(directory.purpose, finding)
  }
}

extension Machine {
  /// The checks that can show why there is only silence although every device can be opened.
  var soundChecks: [Check] {
    pipeWireCheck + heldCheck + mixerChecks + permissionCheck + systemAudioCheck + guardChecks
  }

  private var pipeWireCheck: [Check] {
    switch pipeWire {
    case nil: return []
    case .silent(.noTool):
      return [
        .warning(
          "PipeWire", "its nodes cannot be listed: pw-dump is not installed",
          ["as root, type: apt-get install pipewire-bin"])
      ]
    case .silent(let silence):
      return [
        .problem("PipeWire", "\(silence)", ["systemctl --user restart pipewire wireplumber"])
      ]
    case .answers(let graph):
      let counts = [
        counted(graph.nodes(.capture).count, "microphone"),
        counted(graph.nodes(.playback).count, "speaker"),
      ]
      guard graph.nodes(.capture).contains(where: { !$0.defaults.isEmpty }) else {
        return [
          .warning(
            "PipeWire", "answers, but has no default microphone",
            [
              "choose one: wpctl status, then wpctl set-default NUMBER",
              "or give --device with a name from \"recorder devices\"",
            ])
        ]
      }
      return [.ok("PipeWire", "answers, with \(alternatives(counts, "and"))")]
    }
  }

  /// Lists the devices in use. A device in use is no fault. But if the device for commands without
  /// `--device` is in use and cannot be shared, `defaultDevice` reports a problem.
  private var heldCheck: [Check] {
    guard !held.isEmpty else { return [] }
    let words = held.map { device in
      "\(device.name) by \(alternatives(device.holders.map(\.description), "and"))"
    }
    return [.ok("In use", printable(words.joined(separator: "; ")))]
  }

  private var mixerChecks: [Check] {
    silenced.map { silenced in
      let control = silenced.control
      let isCapture = control.direction == .capture
      let state = control.isMuted ? "is muted" : "is at 0 %"
      return .warning(
        isCapture ? "Mixer in" : "Mixer out",
        printable("\(silenced.owner): \"\(control.name)\" \(state)"),
        [silenced.advice])
    }
  }

  private var permissionCheck: [Check] {
    guard let permission else { return [] }
    switch permission.status {
    case .authorized: return [.ok("Permission", permission.cause)]
    case .notDetermined: return [.warning("Permission", permission.cause, permission.advice)]
    case .denied, .restricted:
      return [.problem("Permission", permission.cause, permission.advice, code: permission.code)]
    }
  }
}

extension Machine {
  /// The decision about system audio. A refusal is only a warning, because few recordings need
  /// system audio.
  private var systemAudioCheck: [Check] {
    guard let systemAudio else { return [] }
    return [
      systemAudio.status == .authorized
        ? .ok("System audio", systemAudio.cause)
        : .warning("System audio", systemAudio.cause, systemAudio.advice)
    ]
  }
}

extension DoctorCommand {
  /// Checks this machine. Problems are reported, not thrown.
  package static func carryOut(_ arguments: Arguments, _ console: Console) throws -> any Report {
    DoctorReport.withConfiguration(Machine.current().checks, isBrief: arguments[GlobalOption.quiet])
  }
}
