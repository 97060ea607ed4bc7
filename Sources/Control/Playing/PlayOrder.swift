package import Audio
package import JSON
package import Linux

/// The environment variables of a client that affect a play. The player uses them instead of its
/// own variables, so it does not matter which program started the player.
package typealias PlayerEnvironment = [String: String]

/// The sounds of one play request and the options to play them with.
package struct PlayOrder: Hashable, Sendable {
  /// The treatment of an order for a sound that is already playing.
  package enum IfPlaying: String, Hashable, Sendable, CaseIterable {
    case restart, overlap, ignore, queue
  }

  /// The sounds to play, in sequence. An order that was read from JSON has at least one sound.
  package var sounds: [WantedSound]
  /// The playback device, as it was typed.
  package var device: String
  /// The environment variables of the client.
  package var environment: PlayerEnvironment = [:]
  /// The treatment of the order if its sound is already playing.
  package var ifPlaying = IfPlaying.restart
  /// The number of times to play the sounds, in total.
  package var times = 1
  /// Whether to repeat the sounds until they are stopped.
  package var loops = false
  /// The gain as a factor, or nil for the stored gain of the sound's name.
  package var volume: Double?
  /// The gain as a factor for a name without a stored gain, or nil for 1.
  package var usualVolume: Double?
  /// The duration of the fade-in.
  package var fade = Duration.zero
  /// The length of the silence before the first frame if the device was idle. Some devices do not
  /// play the first moment of sound.
  package var leadIn = Duration.zero
  /// The minimum time between the starts of two plays of the same sound. A play that would start
  /// earlier is ignored.
  package var cooldown = Duration.zero
  /// Whether the reply is sent at the end of the play. If so, the play also ends when the client
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

  /// The default playback device: the value of `deviceVariable`, or ALSA's `default` if the
  /// variable is unset or empty.
  package static var usualDevice: String { Environment.text(of: deviceVariable) ?? "default" }
}

extension PlayOrder {
  /// Whether the order plays a long file. This depends on the size of the file, because the
  /// duration is not known before a decoder reads the file.
  package var isLong: Bool {
    sounds.contains { sound in sound.path.map(Self.isLong(file:)) ?? false }
  }

  /// Returns whether a file is at least about as large as 10 s of uncompressed sound.
  package static func isLong(file path: String) -> Bool {
    guard let status = try? FileStatus(of: path) else { return false }
    return status.size >= 2_000_000
  }
}

extension PlayOrder: JSONMembers {
  /// A placeholder order. Reading JSON replaces its members.
  package static var blank: PlayOrder { PlayOrder([], on: "") }

  /// Lists the arguments of the request.
  package mutating func list(in form: inout JSONForm) {
    form.member("sounds", &sounds)
    form.require(!sounds.isEmpty)
    form.member("device", &device)
    form.member("environment", &environment, PlayerEnvironment.init(members:)) { $0.object }
    form.member("ifPlaying", &ifPlaying)
    form.member("times", &times, in: .counts)
    form.member("loop", &loops)
    form.member("wait", &waits)
    form.member("volume", &volume)
    form.member("usualVolume", &usualVolume, or: .some(nil), { $0.number(in: 0...1) }, { $0?.json })
    form.member("fade", &fade, or: .zero)
    form.member("leadIn", &leadIn, or: .zero)
    form.member("cooldown", &cooldown, or: .zero)
  }
}

extension PlayOrder.IfPlaying: JSONConvertible {}

extension PlayerEnvironment {
  /// Reads a JSON object with strings. Members that are not strings are left out. The result is
  /// empty if the value is not an object.
  package init(members json: JSONValue?) {
    self.init()
    for member in json?.object?.members ?? [] { self[member.key] = member.value.string }
  }

  /// The variables as `NAME=value`, which are compared by their bytes.
  package var entries: Set<Path> { Set(names: map { name, value in "\(name)=\(value)" }) }

  /// The JSON object with the variables.
  package var object: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
  }
}

/// One sound of an order: a library name or a file.
package struct WantedSound: Hashable, Sendable {
  /// The library name, or the absolute path of the file. It identifies the sound in the player.
  package var name: String
  /// The absolute path of the file, or nil for a library name.
  package var path: String?
  /// The format of samples without a header, or nil if the file has a header.
  package var raw: StreamFormat?
  /// The number of channels of each track if the file contains several tracks, which are mixed for
  /// playback. Empty for any other file.
  package var mix: [ChannelCount] = []

  /// Creates a library sound, or a file if a path is given.
  package init(_ name: String, path: String? = nil, raw: StreamFormat? = nil) {
    self.name = name
    self.path = path
    self.raw = raw
  }

  /// Creates the sound that a text names. This is a file if the text contains a slash, otherwise a
  /// library sound.
  package init(named text: String) {
    let isFile = text.utf8.contains(UInt8(ascii: "/"))
    // The path is made absolute, because the player and its clients have different working
    // directories.
    let name = isFile ? Program.absolutePath(of: text) : text
    self.init(name, path: isFile ? name : nil)
  }
}

extension WantedSound: JSONMembers {
  /// A placeholder sound. Reading JSON replaces its members.
  package static var blank: WantedSound { WantedSound("") }

  /// Lists the members of the object in an order.
  package mutating func list(in form: inout JSONForm) {
    form.member("path", &path)
    // A name that is equal to the path is not sent. This saves space, so a request can contain more
    // files.
    let usual = path
    form.member("name", &name, or: usual, String.init(json:)) { name in
      usual?.isSameName(as: name) == true ? JSONValue?.none : name.json
    }
    form.member("raw", &raw)
    form.member("mix", &mix, or: [])
  }
}

/// The outcome of a play order.
package struct PlayResult: Hashable, Sendable {
  /// The outcome for one sound.
  package struct Played: Hashable, Sendable {
    /// The state of a play, or the reason why the sound did not play.
    package enum Reason: String, Hashable, Sendable {
      /// The sound is playing.
      case playing
      /// The sound played to its end.
      case ended
      /// A client stopped the sound, or the player ended.
      case stopped
      /// A later order restarted the sound.
      case displaced
      /// The sound was already playing, or its cooldown had not passed.
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
    /// The value of CLOCK_MONOTONIC just before the first frame was written, or nil if no frame was
    /// written.
    package var started: Duration?
    /// The length of the sound, or nil if it was not loaded.
    package var duration: Duration?
    /// The time since the start of the previous play if the cooldown suppressed this play,
    /// otherwise nil.
    package var playedBefore: Duration?
    /// The missing or surplus parts of the file, or nil if the file is whole or was not loaded.
    package var flaw: SoundFlaw?

    /// Creates the outcome of a sound that has not begun to play.
    package init(_ name: String, output: String, _ reason: Reason) {
      self.name = name
      self.output = output
      self.reason = reason
    }
  }

  /// The outcomes, in the sequence of the sounds. A sound whose turn has not come yet is left out.
  /// Disabled sounds are always included.
  package var sounds: [Played]

  /// The outcome of an order with these sounds.
  package init(_ sounds: [Played]) { self.sounds = sounds }

  /// Whether any of the sounds was stopped, or was restarted by a later order.
  package var isDisplaced: Bool {
    sounds.contains { $0.reason == .stopped || $0.reason == .displaced }
  }
}

extension PlayResult.Played: JSONMembers {
  /// A placeholder outcome. Reading JSON replaces its members.
  package static var blank: PlayResult.Played { PlayResult.Played("", output: "", .playing) }

  /// Lists the members of the object of one sound.
  package mutating func list(in form: inout JSONForm) {
    form.member("name", &name)
    form.member("device", &output)
    form.member("reason", &reason)
    form.member("started", &started)
    form.member("duration", &duration)
    form.member("playedBefore", &playedBefore)
    form.member("flaw", &flaw)
  }
}

extension PlayResult.Played.Reason: JSONConvertible {}

extension PlayResult: JSONMembers {
  /// A placeholder result. Reading JSON replaces its members.
  package static var blank: PlayResult { PlayResult([]) }

  /// Lists the members of the result in a reply.
  package mutating func list(in form: inout JSONForm) { form.member("sounds", &sounds) }
}

extension PlayerEnvironment {
  /// The prefixes of the variables that select a device and its server.
  private static let families = ["ALSA_", "PIPEWIRE_", "PULSE_", "JACK_"]
  private static let names: Set<String> = [
    "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "LC_ALL",
    "LC_MESSAGES", "LANG", "RECORDER_SOUND_THEME", "RECORDER_SOUND_PROFILE",
    PlayOrder.deviceVariable,
  ]

  /// Returns the variables of this process that select the device and the sounds. `HOME`,
  /// `XDG_DATA_HOME` and `XDG_RUNTIME_DIR` are derived if they are unset, for example under cron.
  package static func current() throws -> PlayerEnvironment {
    let facts = try BaseDirectories.Facts.current()
    let base = try BaseDirectories(facts)
    var environment: PlayerEnvironment = [:]
    for entry in Environment.all {
      // The search compares bytes, because a search for a character would first assemble every
      // character before it.
      guard let equals = entry.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let (name, value) = (String(entry[..<equals]), entry[entry.utf8.index(after: equals)...])
      let isWanted = names.contains(name) || families.contains { name.begins(with: $0) }
      if isWanted, !value.isEmpty { environment[name] = String(value) }
    }
    environment["HOME"] = base.home
    environment["XDG_DATA_HOME"] = String(base.data.dropLast("/recorder".count))
    environment["XDG_RUNTIME_DIR"] = facts.login
    return environment
  }
}
