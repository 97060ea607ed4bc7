internal import Audio

extension StartCommand {
  static let startOnSound = Option<Decibels>(
    "start-on-sound", summary: "Start the take with a sound of at least this level")
  static let armed = Flag("armed", summary: "Start the take with \"recorder trigger\"")
  static let preRoll = Option<Duration>(
    "pre-roll", summary: "Include this much audio from before the trigger (default 500ms)")
  static let stopOnSilence = Option<Duration>(
    "stop-on-silence", summary: "Stop after this much silence")
  static let threshold = Option<Decibels>(
    "threshold",
    summary: "Level below which there is silence (default 4dB below --start-on-sound, or -50dB)")
  static let noGate = Flag("no-gate", summary: "Record everything, whatever the options above say")

  static let voiceGroup = OptionGroup(
    "Voice activation", [startOnSound, armed, preRoll, stopOnSilence, threshold, noGate])

  /// Enough for the first sound of a word, which is softer than the rest of it.
  private static var usualPreRoll: Duration { .milliseconds(500) }
  /// The pre-roll is kept in memory.
  private static var longestPreRoll: Duration { .seconds(600) }
  /// In decibels, so that a faltering voice does not count as silence.
  private static var hysteresis: Double { 4 }

  /// The settings for starting and stopping by level; nil if the take starts at once.
  static func voice(_ arguments: Arguments) throws(Failure) -> VoiceSettings? {
    var voice = VoiceSettings()
    voice.isArmed = arguments[armed]
    voice.start = try level(arguments[startOnSound], "--start-on-sound")
    voice.silence = try positive(arguments[stopOnSilence], "--stop-on-silence")
    voice.threshold =
      try level(arguments[threshold], "--threshold")
      ?? voice.start.map { Decibels($0.value - hysteresis) } ?? VoiceSettings.usualThreshold
    if let start = voice.start, voice.threshold > start {
      throw usage("--threshold is above --start-on-sound: what begins the take would be silence")
    }
    voice.preRoll = try preRoll(arguments, isOf: voice)
    if arguments[threshold] != nil, voice.silence == nil {
      throw usage("--threshold needs --stop-on-silence")
    }
    return arguments[noGate] || (!voice.waits && voice.silence == nil) ? nil : voice
  }

  private static func preRoll(
    _ arguments: Arguments, isOf voice: VoiceSettings
  ) throws(Failure) -> Duration {
    guard let length = arguments[preRoll] else { return voice.waits ? usualPreRoll : .zero }
    guard voice.waits else {
      throw usage("--pre-roll needs --start-on-sound or --armed")
    }
    guard length <= longestPreRoll else { throw usage("--pre-roll is at most 10m") }
    return length
  }

  private static func level(
    _ level: Decibels?, _ option: String
  ) throws(Failure) -> Decibels? {
    if let level, level > .fullScale {
      throw usage("\(option) is above 0dB, which nothing reaches")
    }
    return level
  }
}
