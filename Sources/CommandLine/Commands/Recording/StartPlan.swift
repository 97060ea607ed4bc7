internal import Audio
internal import Control
internal import Linux
internal import Permission

extension StartCommand {
  /// Makes the plan of a recording from the arguments; touches no device or file.
  static func plan(_ arguments: Arguments) throws(Failure) -> RecordingPlan {
    let identifier: String
    do throws(SystemError) {
      identifier = try RandomBytes.hexadecimal(8)
    } catch {
      throw Failure(.failed, Message("cannot name the take: \(error)"))
    }
    var plan = RecordingPlan(
      identifier: identifier, name: (arguments[name] ?? .usual).text,
      capture: try capture(arguments), output: try output(arguments),
      limits: try limits(arguments))
    plan.client = arguments[client]?.name
    plan.voice = try voice(arguments)
    try addSeries(arguments, to: &plan)
    plan.toleratesGaps = arguments[tolerateGaps]
    plan.reconnect = arguments[reconnect]
    try checkSamples(plan)
    return plan
  }

  private static func capture(_ arguments: Arguments) throws(Failure) -> CapturePlan {
    var capture = CapturePlan(
      device: arguments[device]?.value ?? "default", rate: arguments[rate],
      channels: arguments[channels])
    capture.selection = arguments[select]?.channels ?? []
    if let count = capture.channels?.value, !capture.selection.isEmpty,
      count != capture.selection.count
    {
      throw usage("--channels \(count) and --select of \(capture.selection.count) do not agree")
    }
    capture.gain = arguments[gain] ?? .fullScale
    capture.period = try positive(arguments[period], "--period")
    capture.buffer = try positive(arguments[buffer], "--buffer")
    return capture
  }

  private static func limits(_ arguments: Arguments) throws(Failure) -> RecordingLimits {
    let size = arguments[maxSize]?.value
    if let size, size < 4_096 { throw usage("--max-size is at least 4K") }
    return RecordingLimits(
      duration: try positive(arguments[duration], "--duration"), size: size,
      free: arguments[minFree]?.value ?? RecordingLimits.leastFree)
  }

  static func positive(
    _ duration: Duration?, _ option: String
  ) throws(Failure) -> Duration? {
    if let duration, duration <= .zero { throw usage("\(option) must be more than 0") }
    return duration
  }

  /// Checks the sample format, as far as possible before the device's formats are known.
  private static func checkSamples(_ plan: RecordingPlan) throws(Failure) {
    let (output, format) = (plan.output, plan.output.format)
    if output.path == nil, !format.isUncompressed {
      throw usage("only wav and raw can be written to stdout, not \(format)")
    }
    if let sample = output.sample, !format.samples.contains(sample) {
      throw usage("\(format) cannot hold \(sample) samples")
    }
    if let channels = plan.capture.channels, channels.value > format.mostChannels {
      throw usage("\(format) cannot hold \(channels)")
    }
    if let rate = plan.capture.rate, rate.hertz > format.highestRate {
      throw usage("\(format) cannot hold \(rate)")
    }
  }

  static func usage(_ fact: String) -> Failure {
    Failure(.usage, Message(fact, advice: "\"recorder start --help\" explains it"))
  }
}

extension StartCommand {
  private static func output(_ arguments: Arguments) throws(Failure) -> OutputPlan {
    if arguments[output] != nil, !arguments[file].isEmpty {
      throw usage("give the file once, as FILE or with --output")
    }
    let typed = typedOutput(arguments)
    var plan: OutputPlan
    if isSoundOutput(arguments) {
      plan = OutputPlan(path: nil, format: arguments[format] ?? .raw)
    } else {
      let chosen = try format(arguments, typed)
      plan = OutputPlan(path: nil, format: chosen)
      (plan.path, plan.pattern) = try path(typed, chosen)
    }
    plan.sample = arguments[bits]?.sample
    plan.replaces = arguments[force]
    plan.title = try arguments[title].map { text throws(Failure) in try MarkText.checked(text.value)
    }
    plan.note = try arguments[note].map { text throws(Failure) in try MarkText.checked(text.value) }
    switch arguments[sidecar] {
    case .always: plan.sidecar = .always
    case .never: plan.sidecar = .never
    case nil: plan.sidecar = .automatic
    }
    return plan
  }

  private static func typedOutput(_ arguments: Arguments) -> String? {
    (arguments[output] ?? arguments[file].first)?.text
  }

  /// True if stdout carries the audio and nothing else.
  static func isSoundOutput(_ arguments: Arguments) -> Bool { typedOutput(arguments) == "-" }

  /// The absolute path with the time filled in, and the pattern that it was made from; nil without
  /// one.
  private static func path(
    _ typed: String?, _ format: FileFormat
  ) throws(Failure) -> (path: String, pattern: String?) {
    let pattern = typed ?? "recording-%Y%m%d-%H%M%S.\(format.suffixes.first ?? "wav")"
    let directory = try pattern.begins(with: "/") ? "" : workingDirectory()
    guard pattern.contains("%") else { return (try checked(directory + pattern), nil) }
    guard let filled = localTime(pattern) else {
      throw usage("\(quoted(pattern)) makes no name of a file")
    }
    let literal = directory.split(separator: "%", omittingEmptySubsequences: false)
    return (try checked(directory + filled), literal.joined(separator: "%%") + pattern)
  }

  private static func checked(_ path: String) throws(Failure) -> String {
    if path.ends(with: "/") { throw usage("\(quoted(path)) is a directory, not a file") }
    return path
  }

  /// The working directory, with a slash at its end.
  private static func workingDirectory() throws(Failure) -> String {
    do throws(SystemError) {
      let directory = try Program.workingDirectory()
      return directory.ends(with: "/") ? directory : directory + "/"
    } catch {
      throw Failure(.outputRefused, Message("cannot tell the working directory: \(error)"))
    }
  }
}

extension StartCommand {
  static let split = Option<Duration>(
    "split", summary: "Start a new file after this long")
  static let align = Option<Alignment>(
    "align", summary: "Start files at full hours and the like by the local clock")
  static let keep = Option<Retention>(
    "keep", summary: "Delete older files of this series")
  static let onSegment = Option<ProgramPath>(
    "on-segment", summary: "Run a program for each finished file")
  static let onStop = Option<ProgramPath>(
    "on-stop", summary: "Run a program when the recording ends")

  static let seriesGroup = OptionGroup(
    "In several files", [split, align, keep, onSegment, onStop])

  /// The alignment of the files' beginnings.
  enum Alignment: String, Choice {
    case clock

    static let placeholder = "WHAT"
  }

  /// Long enough for each file to have audio, and each program time to run.
  private static var shortest: Duration { .seconds(1) }

  /// Adds the split of the take into files, and the handling of those files, to the plan.
  static func addSeries(_ arguments: Arguments, to plan: inout RecordingPlan) throws(Failure) {
    plan.output.split = try splitPlan(arguments)
    plan.output.keep = arguments[keep]?.plan
    plan.onSegment = try program(arguments[onSegment], "--on-segment")
    plan.onStop = try program(arguments[onStop], "--on-stop")
    if plan.output.path == nil {
      let isSeries = plan.output.split != nil || plan.output.keep != nil || plan.onSegment != nil
      guard !isSeries else {
        throw usage("a recording to stdout has no files; remove --split, --keep and --on-segment")
      }
    }
    if plan.output.replaces, plan.output.split != nil {
      throw usage("--split takes the next free name and never replaces a file; remove --force")
    }
  }

  private static func splitPlan(_ arguments: Arguments) throws(Failure) -> SplitPlan? {
    guard let length = arguments[split] else {
      if arguments[align] != nil {
        throw usage("--align needs --split")
      }
      return nil
    }
    guard length >= shortest else { throw usage("--split is at least 1s") }
    return SplitPlan(length: length, isAligned: arguments[align] == .clock)
  }

  private static func program(
    _ program: ProgramPath?, _ option: String
  ) throws(Failure) -> String? {
    guard let program else { return nil }
    guard let directory = try? Program.workingDirectory(),
      let path = program.resolved(in: directory)
    else { throw usage("\(option): there is no program \(quoted(program.text)) that can be run") }
    return path
  }
}

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

extension StartCommand {
  /// The format given by the option or the file's suffix; WAV for a name without a suffix.
  static func format(_ arguments: Arguments, _ typed: String?) throws(Failure) -> FileFormat {
    let given = arguments[format]
    guard let suffix = suffix(of: typed?.pathNames.last ?? "") else {
      return given ?? .wav
    }
    let meant = FileFormat(suffix: suffix)
    guard let given else {
      guard let meant else { throw foreign(suffix) }
      return meant
    }
    let fits = meant == given || meant == nil && !ForeignEnding.is(suffix, otherThan: given)
    if fits { return given }
    let ending = quoted("." + (given.suffixes.first ?? "wav"))
    throw usage(
      "\(quoted("." + suffix)) is not the ending of a \(given) file; use \(ending)"
        + (meant == nil ? "" : ", or remove --format"))
  }

  /// The suffix of a name; nil if the part after the dot is a time or a number.
  private static func suffix(of name: String) -> String? {
    let suffix = name.nameParts.ending.trimmingBytes(first: 1)
    let isEnding =
      suffix.allSatisfy { $0.isLetter || $0.isNumber } && suffix.contains(where: \.isLetter)
    return isEnding ? suffix : nil
  }

  private static func foreign(_ suffix: String) -> Failure {
    Failure(
      .usage,
      Message(
        "cannot record \(quoted("." + suffix)) files", advice: ForeignEnding.advice(for: suffix)))
  }
}

/// The suffixes of sound files that recorder does not write.
private enum ForeignEnding {
  private static let ogg: Set<String> = ["ogg", "oga"]
  private static let compressed: Set<String> = [
    "mp3", "mp2", "m4a", "m4b", "mp4", "aac", "ac3", "wma", "amr", "3gp", "spx", "mka", "webm",
    "mkv", "mov", "avi",
  ]
  private static let plain: Set<String> = [
    "aiff", "aif", "aifc", "au", "snd", "caf", "w64", "ape", "wv", "alac", "voc", "dsf", "dff",
  ]

  /// True if the suffix belongs to another format than `format`; the suffixes of Ogg also fit Opus.
  static func `is`(_ suffix: String, otherThan format: FileFormat) -> Bool {
    let suffix = suffix.lowercased()
    if ogg.contains(suffix) { return format != .opus }
    return compressed.contains(suffix) || plain.contains(suffix)
  }

  /// The advice that names a format to use instead.
  static func advice(for suffix: String) -> String {
    let suffix = suffix.lowercased()
    if ogg.contains(suffix) { return "use \".opus\": it is Opus in an Ogg file" }
    if compressed.contains(suffix) {
      return "use \".opus\" for a small file, \".flac\" for a lossless one, or \".wav\""
    }
    if plain.contains(suffix) { return "use \".wav\", or \".flac\" for a smaller file" }
    let endings = FileFormat.allCases.compactMap(\.suffixes.first).map { quoted("." + $0) }
    return "use \(alternatives(endings)), or give --format"
  }
}
