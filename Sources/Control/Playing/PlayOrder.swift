package import Audio
package import JSON
package import Linux

/// The client's environment variables that a play depends on. The player uses them instead of its
/// own, so it does not matter which program started the player.
package typealias PlayerEnvironment = [String: String]

/// The sounds of one play request and the options to play them with.
package struct PlayOrder: Hashable, Sendable {
  /// The treatment of a sound that is already playing.
  package enum IfPlaying: String, Hashable, Sendable, CaseIterable {
    case restart, overlap, ignore, queue
  }

  /// The sounds to play. Never empty in a decoded order.
  package var sounds: [WantedSound]
  /// The playback device, as it was typed.
  package var device: String
  /// The environment variables of the client.
  package var environment: PlayerEnvironment = [:]
  /// The treatment of a sound of the order that is already playing.
  package var ifPlaying = IfPlaying.restart
  /// The number of plays in total.
  package var times = 1
  /// True to repeat the sound until it is stopped.
  package var loops = false
  /// The gain as a factor, or nil for the gain that is set for the name.
  package var volume: Double?
  /// The gain for names without a set gain, or nil for 1.
  package var usualVolume: Double?
  /// The duration of the fade-in.
  package var fade = Duration.zero
  /// The silence that the device plays before the first frame.
  package var leadIn = Duration.zero
  /// The time after the last play during which the sound is not played again.
  package var cooldown = Duration.zero
  /// True if the reply is sent at the end of the play. The play then also ends if the client
  /// disconnects.
  package var waits = true

  /// An order to play each sound once, immediately and without a fade.
  package init(_ sounds: [WantedSound], on device: String) {
    self.sounds = sounds
    self.device = device
  }
}

extension PlayOrder {
  /// The environment variable with the default playback device.
  package static let deviceVariable = "RECORDER_PLAYBACK_DEVICE"

  /// The default playback device: the value of `deviceVariable`, or ALSA's `default` if it is unset
  /// or empty.
  package static var usualDevice: String {
    let named = Environment.value(of: deviceVariable) ?? ""
    return named.isEmpty ? "default" : named
  }
}

extension PlayOrder {
  /// Whether the order plays a long file. Without a decoder, only the size of a file is known.
  package var isLong: Bool {
    sounds.contains { sound in sound.path.map(Self.isLong(file:)) ?? false }
  }

  /// Whether a file is at least as large as 10 s of uncompressed sound.
  package static func isLong(file path: String) -> Bool {
    guard let status = try? FileStatus(of: path) else { return false }
    return status.size >= 2_000_000
  }
}

extension PlayOrder: JSONConvertible {
  /// Reads the output of `json`, or returns nil if it has no sound or a member is missing or wrong.
  package init?(json: JSONValue) {
    guard let sounds = json["sounds"].flatMap([WantedSound].init(json:)), !sounds.isEmpty,
      let device = json["device"]?.string,
      let ifPlaying = json["ifPlaying"]?.string.flatMap(IfPlaying.init(rawValue:)),
      let times = json["times"]?.integer(in: .counts), let loops = json["loop"]?.bool,
      let waits = json["wait"]?.bool
    else { return nil }
    self.init(sounds, on: device)
    self.environment = PlayerEnvironment(members: json["environment"])
    self.ifPlaying = ifPlaying
    self.times = times
    self.loops = loops
    self.waits = waits
    volume = json["volume"]?.number
    usualVolume = json["usualVolume"]?.number(in: 0...1)
    fade = json["fade"].flatMap(Duration.init(json:)) ?? .zero
    leadIn = json["leadIn"].flatMap(Duration.init(json:)) ?? .zero
    cooldown = json["cooldown"].flatMap(Duration.init(json:)) ?? .zero
  }

  /// The arguments of the request; a volume that is nil has no member.
  package var json: JSONValue {
    var members: JSONObject = ["sounds": sounds.json, "device": device.json]
    members["environment"] = environment.object
    members.set("ifPlaying", ifPlaying.rawValue)
    members.set("times", times)
    members.set("loop", loops)
    members.set("wait", waits)
    members.set("volume", volume)
    members.set("usualVolume", usualVolume)
    members.set("fade", fade)
    members.set("leadIn", leadIn)
    members.set("cooldown", cooldown)
    return .object(members)
  }
}

extension PlayerEnvironment {
  /// Reads an object of strings. Any other value is read as empty.
  package init(members json: JSONValue?) {
    self.init()
    for member in json?.object?.members ?? [] { self[member.key] = member.value.string }
  }

  /// The object of strings.
  package var object: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
  }
}

/// One sound of an order: a library name or a file.
package struct WantedSound: Hashable, Sendable {
  /// The library name, or the file as it was typed.
  package var name: String
  /// The absolute path of the file, or nil for a library name.
  package var path: String?
  /// The format of samples without a header, or nil if the file has a header.
  package var raw: StreamFormat?

  /// A library sound, unless a path is given.
  package init(_ name: String, path: String? = nil, raw: StreamFormat? = nil) {
    self.name = name
    self.path = path
    self.raw = raw
  }
}

extension WantedSound: JSONConvertible {
  /// Reads the output of `json`, or returns nil if the name is missing.
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string else { return nil }
    self.init(
      name, path: json["path"]?.string, raw: json["raw"].flatMap(StreamFormat.init(json:)))
  }

  /// The JSON object in an order.
  package var json: JSONValue {
    var members: JSONObject = ["name": name.json]
    members.set("path", path)
    members.set("raw", raw)
    return .object(members)
  }
}

/// The outcome of a play order.
package struct PlayResult: Hashable, Sendable {
  /// The outcome for one sound.
  package struct Played: Hashable, Sendable {
    /// The state of a play, or the reason why it did not play.
    package enum Reason: String, Hashable, Sendable {
      /// The sound is playing.
      case playing
      /// The sound played to its end.
      case ended
      /// The sound was stopped by a client.
      case stopped
      /// The sound was restarted by another client.
      case displaced
      /// The sound was playing already, or its cooldown had not passed.
      case ignored
      /// The sound is muted.
      case muted
      /// The theme disables the sound.
      case disabled
    }

    /// The name of the sound, or the file as it was typed.
    package var name: String
    /// The playback device, as it was typed.
    package var output: String
    /// The state of the play at the time of the reply.
    package var reason: Reason
    /// The value of CLOCK_MONOTONIC just before the first frame was written, or nil if none was
    /// written.
    package var started: Duration?
    /// The length of the sound, or nil if it was not loaded.
    package var duration: Duration?
    /// The time since the last play if the cooldown suppressed this one, or nil otherwise.
    package var playedBefore: Duration?
    /// The missing or surplus parts of its file, or nil if the file is whole or was not loaded.
    package var flaw: SoundFlaw?

    /// The outcome of a sound that has not begun to play.
    package init(_ name: String, output: String, _ reason: Reason) {
      self.name = name
      self.output = output
      self.reason = reason
    }
  }

  /// The sounds in the order of the request.
  package var sounds: [Played]

  /// The outcome of an order with these sounds.
  package init(_ sounds: [Played]) { self.sounds = sounds }

  /// True if another client stopped or restarted one of its sounds.
  package var isDisplaced: Bool {
    sounds.contains { $0.reason == .stopped || $0.reason == .displaced }
  }
}

extension PlayResult.Played: JSONConvertible {
  /// Reads the output of `json`, or returns nil if the name, the output or the reason is missing or
  /// unknown.
  package init?(json: JSONValue) {
    guard let name = json["name"]?.string, let output = json["output"]?.string,
      let reason = json["reason"]?.string.flatMap(Reason.init(rawValue:))
    else { return nil }
    self.init(name, output: output, reason)
    started = json["started"].flatMap(Duration.init(json:))
    duration = json["duration"].flatMap(Duration.init(json:))
    playedBefore = json["playedBefore"].flatMap(Duration.init(json:))
    flaw = json["flaw"].flatMap(SoundFlaw.init(json:))
  }

  /// The JSON object of one sound. Times that are nil have no member.
  package var json: JSONValue {
    var members: JSONObject = ["name": name.json]
    members.set("output", output)
    members.set("reason", reason.rawValue)
    members.set("started", started)
    members.set("duration", duration)
    members.set("playedBefore", playedBefore)
    members.set("flaw", flaw)
    return .object(members)
  }
}

extension PlayResult: JSONConvertible {
  /// Reads the result of a reply, or returns nil if one of its sounds cannot be read.
  package init?(json: JSONValue) {
    guard let sounds = json["sounds"].flatMap([Played].init(json:)) else { return nil }
    self.init(sounds)
  }

  /// The result of a reply.
  package var json: JSONValue { ["sounds": sounds.json] }
}

extension PlayerEnvironment {
  /// The prefixes of the variables that select a device and its server.
  private static let families = ["ALSA_", "PIPEWIRE_", "PULSE_", "JACK_"]
  private static let names: Set<String> = [
    "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "LC_ALL",
    "LC_MESSAGES", "LANG", "RECORDER_SOUND_THEME", "RECORDER_SOUND_PROFILE",
    PlayOrder.deviceVariable,
  ]

  /// The variables of this process that select the device and the sounds. `HOME`, `XDG_DATA_HOME`
  /// and `XDG_RUNTIME_DIR` come from the arguments, because they may be unset, for example under
  /// cron.
  package init(of facts: BaseDirectories.Facts, _ base: BaseDirectories) {
    self.init()
    for entry in Environment.all {
      // Search by bytes: a search by characters would first assemble every character before the
      // match.
      guard let equals = entry.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let (name, value) = (String(entry[..<equals]), entry[entry.utf8.index(after: equals)...])
      let isWanted =
        Self.names.contains(name) || Self.families.contains { name.begins(with: $0) }
      if isWanted, !value.isEmpty { self[name] = String(value) }
    }
    self["HOME"] = base.home
    self["XDG_DATA_HOME"] = String(base.data.dropLast("/recorder".count))
    self["XDG_RUNTIME_DIR"] = facts.login
  }
}
