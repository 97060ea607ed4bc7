internal import Audio
internal import Control
internal import Decoding
internal import Hosting
internal import Linux
internal import Sounds

/// A sound that can be played any number of times, on any player.
///
/// ```swift
/// try await Player.shared.play(.named("done"))
/// try await Player.shared.play(.file("/home/me/bark.ogg"), volume: 0.5)
/// ```
public struct Sound: Sendable, CustomStringConvertible {
  /// The requested name, or the path of the file.
  public let name: String
  /// The rate and the channels of the file, and the sample format of the decoded samples.
  public let format: AudioFormat
  /// The number of frames at the rate of the format, or nil if the file does not state this number.
  public let frameCount: Int64?
  let source: PlaySource

  /// The duration, or nil if the file does not state the number of frames.
  public var duration: Duration? { frameCount.map(format.duration) }

  /// The name.
  public var description: String { name }

  init(_ source: PlaySource, named name: String, _ facts: SoundFacts) {
    self.source = source
    self.name = name
    format = AudioFormat(
      sampleRate: facts.rate.hertz, channelCount: facts.channels.value, sampleFormat: .float32)
    frameCount = facts.frames?.value
  }
}

extension Sound {
  /// Returns the sound called `name` in the default library: the user's own sounds, the sounds that
  /// come with recorder, and the sounds of the desktop.
  public static func named(_ name: String) throws(RecorderError) -> Sound {
    try SoundLibrary.usual.sound(named: name)
  }

  /// Opens the sound in a file: WAV, FLAC, Ogg, Opus, MP3, AIFF, AU or CAF. If the command
  /// `recorder` is installed, this command decodes the file, in a process without rights, and
  /// supports further formats.
  ///
  /// The header of the file is read now. The samples are read when the sound plays.
  public init(file path: String) throws(RecorderError) {
    self = try .read(PlayFile(Program.absolutePath(of: path), named: path), named: path)
  }

  /// Returns the sound in a file, as `init(file:)` does.
  public static func file(_ path: String) throws(RecorderError) -> Sound { try Sound(file: path) }

  /// Returns the sound in `bytes`, the content of a file. The bytes are copied.
  ///
  /// - Parameter name: a name for messages.
  public static func data(
    _ bytes: Span<UInt8>, named name: String = "the data"
  ) throws(RecorderError) -> Sound {
    try read(try translated { try PlayFile(bytes, named: name) }, named: name)
  }

  /// Returns the sound in `bytes`, the content of a file.
  public static func data(
    _ bytes: [UInt8], named name: String = "the data"
  ) throws(RecorderError) -> Sound {
    try data(bytes.span, named: name)
  }

  /// Returns a sound that consists of the frames of `buffers`, one buffer after the other. All
  /// buffers must have the same format.
  public static func frames(_ buffers: [AudioBuffer]) throws(RecorderError) -> Sound {
    guard let format = buffers.first?.format else {
      throw .invalid("a sound needs at least one buffer")
    }
    let stream = try format.stream
    guard buffers.allSatisfy({ $0.format == format }) else {
      throw .invalid("all buffers of a sound must have the same format")
    }
    let frames = PlayFrames(
      buffers.flatMap { [Float]($0.samples) }, rate: stream.rate, channels: stream.channels)
    return Sound(
      .frames(frames), named: "frames",
      SoundFacts(rate: stream.rate, channels: stream.channels, frames: frames.count))
  }

  static func read(_ file: PlayFile, named name: String) throws(RecorderError) -> Sound {
    Sound(.file(file), named: name, try translated { try SoundFacts(of: file) })
  }
}

/// The named sounds: the user's own sounds, the sounds that come with recorder, and the sounds of
/// the desktop themes.
public struct SoundLibrary: Sendable {
  /// One sound of a library.
  public struct Entry: Hashable, Sendable {
    /// The name of the sound.
    public let name: String
    /// The event that the sound stands for, or nil if it is unknown.
    public let meaning: String?
    /// Other names of the sound.
    public let aliases: [String]
    /// The duration, or nil if it must be read from the file.
    public let duration: Duration?
    /// Whether the user has disabled the sound. A disabled sound can be played, but is silent.
    public let isDisabled: Bool
  }

  private let library: Sounds.SoundLibrary

  /// The sounds of the current user, and the sounds that are installed or next to the program.
  public static var usual: SoundLibrary { SoundLibrary() }

  /// Creates the library of the current user.
  ///
  /// - Parameter bundled: the directory of the sounds that come with recorder, which contains
  ///   `index.json` and `Sounds`; nil searches next to the program and in the installation
  ///   directories.
  public init(bundled: String? = nil) {
    let program = try? ExecutablePath.current()
    library = Sounds.SoundLibrary(
      for: (try? PlayerEnvironment.current()) ?? [:],
      bundled: bundled ?? BundledSounds.directory(for: program))
  }

  /// Returns the sounds whose name, alias or meaning contains `search`, sorted by name.
  public func entries(matching search: String = "") -> [Entry] {
    library.list(search).map { entry in
      Entry(
        name: entry.name, meaning: entry.meaning, aliases: entry.aliases,
        duration: entry.duration, isDisabled: entry.isDisabled)
    }
  }

  /// Returns the sound called `name`. Throws `unknownSound` if there is none.
  public func sound(named name: String) throws(RecorderError) -> Sound {
    let opened = try translated { try library.open(name) }
    return switch opened {
    case .disabled: .silence(named: name)
    case .file(let found):
      try .read(PlayFile(found.path, named: name, isTrusted: found.source == .bundled), named: name)
    }
  }
}

extension Sound {
  /// Returns a sound without frames.
  static func silence(named name: String) -> Sound {
    let frames = PlayFrames([], rate: .hz48000, channels: .stereo)
    return Sound(
      .frames(frames), named: name, SoundFacts(rate: .hz48000, channels: .stereo, frames: 0))
  }
}
