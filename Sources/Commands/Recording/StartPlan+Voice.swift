internal import Audio

// Voice activation: starting and stopping by level.
extension StartPlan {
  /// The default pre-roll: long enough for the soft beginning of a word.
  private static var usualPreRoll: Duration { .milliseconds(500) }
  /// The longest pre-roll. It is limited because the pre-roll is kept in memory.
  private static var longestPreRoll: Duration { .seconds(600) }
  /// The default distance between the thresholds, in decibels. Without a distance, a voice of
  /// varying level would count as silence.
  private static var hysteresis: Double { 4 }

  /// Returns the settings for starting and stopping by level, or nil if no option asks for them.
  func voice() throws -> VoiceSettings? {
    var voice = VoiceSettings()
    voice.isArmed = arguments[Start.armed]
    voice.start = arguments[Start.startOnSound]?.level
    voice.silence = try Self.positive(arguments[Start.stopOnSilence], "--stop-on-silence")
    voice.threshold =
      arguments[Start.threshold]?.level
      ?? voice.start.map { Decibels($0.value - Self.hysteresis) } ?? VoiceSettings.usualThreshold
    if let start = voice.start, voice.threshold > start {
      throw Self.usage(
        "--threshold is above --start-on-sound: the sound that starts the recording could count as "
          + "silence")
    }
    voice.preRoll = try preRoll(of: voice)
    if arguments[Start.threshold] != nil, voice.silence == nil {
      throw Self.usage("--threshold needs --stop-on-silence")
    }
    return arguments[Start.noGate] || (!voice.waits && voice.silence == nil) ? nil : voice
  }

  private func preRoll(of voice: VoiceSettings) throws -> Duration {
    guard let length = arguments[Start.preRoll] else {
      return voice.waits ? Self.usualPreRoll : .zero
    }
    guard voice.waits else {
      throw Self.usage("--pre-roll needs --start-on-sound or --armed")
    }
    guard length <= Self.longestPreRoll else { throw Self.usage("--pre-roll must be at most 10m") }
    return length
  }
}
