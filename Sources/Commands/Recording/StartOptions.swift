internal import Audio
internal import Control
internal import Permission

/// The operand and the options of `start`. `meter` has some of them too.
enum StartOptions {
  static let file = Operand<OutputPath>(
    .optional,
    summary: "Output file; % expands as in strftime, \"-\" is stdout "
      + "(default: recording-DATE-TIME.wav)")
  static let output = Option<OutputPath>("output", short: "o", summary: "Same as FILE")
  static let name = Option<SessionName>(
    "name", short: "n", summary: "Name of the recording, to run several at the same time")

  static let device = Option<DeviceText>("device", short: "d", summary: "Capture device")
  static let rate = Option<SampleRate>("rate", short: "r", summary: "Sample rate")
  static let channels = Option<ChannelCount>(
    "channels", short: "c",
    summary: "Number of channels; 1 averages the channels of a stereo device")
  static let select = Option<ChannelSelection>("select", summary: "Record only these channels")
  static let gain = Option<Decibels>("gain", summary: "Gain applied before writing")
  static let period = Option<Duration>("period", summary: "Period length of the device")
  static let buffer = Option<Duration>("buffer", summary: "Buffer length of the device")

  static let bits = Option<Bits>("bits", short: "b", summary: "Sample format")
  static let format = Option<FileFormat>(
    "format", short: "f", summary: "Format and extension, if FILE has no extension")
  static let title = Option<Text>(
    "title", summary: "Title, stored in a \(formatsWithTags) file, else in FILE.json")
  static let note = Option<Text>("note", summary: "Comment, stored like the title")
  static let sidecar = Option<SidecarWish>(
    "sidecar", summary: "Write FILE.json (default: only if needed)")
  static let force = Flag(
    "force", summary: "Move an existing FILE to the trash when the recording ends")

  static let duration = Option<Duration>("duration", summary: "Stop after this long")
  static let maxSize = Option<ByteCount>(
    "max-size", summary: "Stop when the file has this size (with --split: start a new file)")
  static let minFree = Option<ByteCount>(
    "min-free", summary: "Stop when the disk has less free space than this (default 16M)")
  static let reconnect = Option<Duration>(
    "reconnect", summary: "Wait this long for a disconnected device (default 1m)")
  static let tolerateGaps = Flag("tolerate-gaps", summary: "Exit with 0 even if frames were lost")

  static let split = Option<Duration>("split", summary: "Start a new file after this long")
  static let align = Option<Alignment>(
    "align", summary: "Align file starts with the local clock, such as full hours")
  static let keep = Option<Retention>(
    "keep",
    summary: "Keep the newest N files, or files up to AGE; delete older files of this series")
  static let onSegment = Option<ProgramPath>(
    "on-segment", summary: "Run a program for each finished file")
  static let deliver = Flag(
    "deliver",
    summary: "Repeat --on-segment for each file, in order, until the program exits with 0")
  static let onStop = Option<ProgramPath>(
    "on-stop", summary: "Run a program when the recording ends")

  static let startOnSound = Option<Threshold>(
    "start-on-sound", summary: "Start the take with a sound of at least this level")
  static let armed = Flag("armed", summary: "Start the take with \"recorder trigger\"")
  static let preRoll = Option<Duration>(
    "pre-roll", summary: "Include this much audio from before the trigger (default 500ms)")
  static let stopOnSilence = Option<Duration>(
    "stop-on-silence", summary: "Stop after this much silence")
  static let threshold = Option<Threshold>(
    "threshold",
    summary: "Quieter sound is silence (default 4dB below --start-on-sound, or -50dB)")
  static let noGate = Flag(
    "no-gate", summary: "Record everything, regardless of the other voice options")

  static let foreground = Flag(
    "foreground", summary: "Stay in this terminal with a meter: q stops, space pauses, m marks")
  static let client = Option<Client>("as", summary: "Use the microphone access of this client")
  static let noPrompt = Flag("no-prompt", summary: "Never ask for microphone access")
  static let deny = Flag("deny", summary: "Deny microphone access for this call")

  /// The formats that store a title and a comment, such as `WAV or FLAC`.
  private static let formatsWithTags = alternatives(
    FileFormat.allCases.filter(\.hasTags).map(\.description))

  /// The values of `--sidecar`, which say when FILE.json is written.
  enum SidecarWish: String, WordValue {
    case always
    case never

    static let placeholder = "WHEN"
  }

  /// The alignment of the file starts.
  enum Alignment: String, WordValue {
    case clock

    static let placeholder = "MODE"
  }
}
