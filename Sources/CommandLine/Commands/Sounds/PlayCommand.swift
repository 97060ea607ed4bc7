internal import Audio
internal import Control

/// The command `play`, which plays sounds by name or from files.
enum PlayCommand: CommandDefinition {
  static var words: [String] { ["play"] }

  static let sounds = Operand<Text>(
    .many, named: "NAME",
    summary: "A sound's name; with a slash the path of a file; - for what comes from stdin")

  static let ifPlaying = Option<PlayOrder.IfPlaying>(
    "if-playing", summary: "If NAME is playing already (default restart)")
  static let times = Option<PlayCount>("times", short: "n", summary: "Number of plays in total")
  static let loop = Flag("loop", short: "l", summary: "Repeat until it is stopped")
  static let detach = Flag("detach", summary: "Return when the first frame is played")
  static let cooldown = Option<Duration>(
    "cooldown", summary: "Skip the play within this time after the last one")
  static let volume = Option<Volume>("volume", short: "v", summary: "Volume of this play")
  static let fade = Option<Duration>("fade", summary: "Fade-in time")
  static let leadIn = Option<Duration>(
    "lead-in", summary: "Silence before it where the device slept, which may swallow a beginning")
  static let device = Option<DeviceText>("device", short: "d", summary: "Playback device")
  static let rate = Option<SampleRate>(
    "rate", short: "r", summary: "Sample rate of raw samples")
  static let channels = Option<ChannelCount>(
    "channels", short: "c", summary: "Number of channels of raw samples")
  static let bits = Option<Bits>("bits", short: "b", summary: "Sample format of raw samples")

  static var command: Command {
    Command(
      words, section: .sounds, summary: "Play a sound",
      details: [
        "Plays from the beginning and waits for the end; several names are played in sequence. "
          + "Sounds of different names mix. Any other terminal can stop, pause or rewind the sound: "
          + "see \"recorder help sound\".",
        "Ctrl-C fades the sound that this command plays. Where another command stops it, or plays "
          + "the same name anew, the exit code is 17. A name that is muted is not played, with 0.",
        "A player in the background mixes for all programs of this user. It is started when it is "
          + "needed and ends by itself.",
      ],
      operands: [sounds],
      options: [
        OptionGroup("When", [ifPlaying, times, loop, detach, cooldown]),
        OptionGroup("How", [volume, fade, leadIn, device]),
        OptionGroup("Raw samples from stdin or a file", [rate, channels, bits]),
      ],
      examples: [
        Example("recorder play done", "Play the sound \"done\" to its end"),
        Example("make; recorder play done --detach", "Go on while it plays"),
        Example("recorder play ./bark.ogg --volume -6dB", "Play a file, softer"),
        Example("recorder play umbrella --loop --detach", "Until \"recorder sound stop umbrella\""),
        Example("espeak-ng --stdout hello | recorder play -", "What another program makes"),
      ],
      ends: [.notFound, .device, .notASound, .displaced, .interrupted])
  }
}

extension PlayOrder.IfPlaying: Choice {
  /// Shown after `--if-playing` in the help.
  package static var placeholder: String { "WHAT" }
}

/// The number of plays, 1 to 1,000,000.
package struct PlayCount: ArgumentValue, Hashable {
  /// The number of plays in total, at least 1.
  package let value: Int

  /// Shown after `--times` in the help.
  package static let placeholder = "N"
  /// Shown in the error for an invalid number.
  package static let expectation = "a whole number from 1"

  /// Reads a whole number; throws for one outside 1 to 1,000,000.
  package init(argument: String) throws(ValueError) {
    guard let value = Int(argument) else { throw .malformed }
    guard (1...1_000_000).contains(value) else { throw .outOfRange("from 1 to 1000000") }
    self.value = value
  }
}
