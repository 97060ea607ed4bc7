internal import Audio
internal import Control
internal import Permission

/// `start`: begin to record.
enum StartCommand: CommandDefinition {
  static var words: [String] { ["start"] }

  static let file = Operand<FilePath>(
    .optional, summary: "Where to; % as in strftime, - for stdout, a name with the time if absent")
  static let output = Option<FilePath>("output", short: "o", summary: "The same as FILE")
  static let name = Option<SessionName>(
    "name", short: "n", summary: "Its name, so that several can run at once")

  static let device = Option<Text>("device", short: "d", summary: "What to record from")
  static let rate = Option<SampleRate>("rate", short: "r", summary: "Frames a second")
  static let channels = Option<ChannelCount>(
    "channels", short: "c", summary: "How many channels; 1 of a stereo device is the mean")
  static let select = Option<ChannelSelection>("select", summary: "Keep these channels alone")
  static let gain = Option<Decibels>("gain", summary: "Make it louder or softer, such as 6dB")
  static let period = Option<Duration>("period", summary: "How often the device is read")
  static let buffer = Option<Duration>("buffer", summary: "How much the device holds")

  static let bits = Option<Bits>("bits", short: "b", summary: "Bits of a sample")
  static let format = Option<FileFormat>(
    "format", short: "f", summary: "The kind of file, where the name does not say it")
  static let title = Option<Text>("title", summary: "What it is called, kept in the file")
  static let note = Option<Text>("note", summary: "What there is to say of it, kept in the file")
  static let sidecar = Option<SidecarWish>(
    "sidecar", summary: "Leave FILE.json beside it always or never, not only where it is needed")
  static let force = Flag("force", summary: "Replace FILE where it exists, at the end")

  static let duration = Option<Duration>("duration", summary: "End when it is so long")
  static let maxSize = Option<ByteCount>(
    "max-size", summary: "End, or with --split cut, when the file is so large")
  static let minFree = Option<ByteCount>(
    "min-free", summary: "End while so much of the disk is free; 16M where not given")
  static let reconnect = Option<Duration>(
    "reconnect", summary: "Wait so long for a device that went away")
  static let tolerateGaps = Flag("tolerate-gaps", summary: "Exit with 0 though frames were lost")

  static let foreground = Flag(
    "foreground", summary: "Stay here with a meter: q stops, space pauses, m marks")
  static let client = Option<Client>("as", summary: "The name of the program that asks")
  static let noPrompt = Flag("no-prompt", summary: "Do not ask for the permission")
  static let deny = Flag("deny", summary: "Refuse the permission for this call")

  /// When FILE.json is left.
  enum SidecarWish: String, Choice {
    case always
    case never

    static let placeholder = "WHEN"
  }

  static var command: Command {
    Command(
      words, section: .recording, summary: "Begin to record",
      details: [
        "Returns as soon as the first frame is captured; the recording goes on until it is stopped. "
          + "Everything that can go wrong at the start is told here, by its exit code.",
        "The file is valid at every moment, even if the machine loses its power. Until the end it "
          + "has a hidden name, .FILE.part. A file that exists is never replaced without --force.",
        "To stdout (-) go samples alone, without a header unless --format wav is given: by default "
          + "16 bits, little-endian, at the rate and the channels that are asked for. Nothing else is "
          + "written there; with --json the result goes to stderr.",
        "With --foreground, or -, the exit code is that of the recording's end.",
        "recorder needs the permission to listen: see \"recorder help permission\".",
      ],
      operands: [file],
      options: [
        OptionGroup(
          "Where from", [device, rate, channels, select, gain, period, buffer]),
        OptionGroup("Where to", [output, format, bits, title, note, sidecar, force]),
        OptionGroup("Until when", [duration, maxSize, minFree, reconnect, tolerateGaps]),
        seriesGroup,
        voiceGroup,
        OptionGroup("How", [name, foreground, client, noPrompt, deny]),
      ],
      examples: [
        Example("recorder start", "Record until \"recorder stop\""),
        Example("recorder start talk.flac --duration 1h", "An hour at most, as FLAC"),
        Example("recorder start 'log/%Y/%m-%d.wav' --name log", "By the date, beside others"),
        Example(
          "recorder start 'log/%F-%H.wav' --split 1h --align clock --keep 7d",
          "A file an hour, for a week"),
        Example("recorder start --foreground a.wav", "With a meter, until q or Ctrl-C"),
        Example("recorder start --armed --pre-roll 30s", "Listen, until \"recorder trigger\""),
        Example("recorder start -", "Send the samples to another program by a pipe"),
      ],
      ends: [
        .alreadyRecording, .device, .outputRefused, .nothingCaptured, .interrupted,
      ] + ResumeCommand.permissionEnds + foregroundEnds)
  }

  /// How a recording can end that `start` itself carries out, with --foreground or to stdout.
  private static var foregroundEnds: [ExitCode] {
    [.incomplete, .revokedWhileRecording, .expiredWhileRecording]

  }
}
