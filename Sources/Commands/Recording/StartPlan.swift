internal import Audio
internal import Control
internal import Linux
internal import Permission

/// The plan of a recording, made from the arguments of `start` without opening anything.
struct StartPlan {
  typealias Start = StartOptions

  let arguments: Arguments
  private let configuration: Configuration

  /// Prepares the plan. Nothing is checked before `plan` is called.
  init(_ arguments: Arguments, _ configuration: Configuration = .none) {
    self.arguments = arguments
    self.configuration = configuration
  }

  /// Makes the plan. Throws if the arguments contradict each other.
  func plan() throws -> RecordingPlan {
    let output = try output()
    var plan = RecordingPlan(
      identifier: try RandomBytes.hexadecimal(8), name: (arguments[Start.name] ?? .usual).text,
      capture: try capture(for: output.format), output: output, limits: try limits())
    plan.client = arguments[Start.client]?.name
    plan.voice = try voice()
    if arguments[TrackOptions.separate] { try TrackOptions.addFiles(to: &plan) }
    try addSeries(to: &plan)
    plan.toleratesGaps = arguments[Start.tolerateGaps]
    plan.reconnect =
      arguments[Start.reconnect]
      ?? (isSoundOutput ? nil : configuration.effective(Settings.reconnect))
    try Self.checkSamples(plan)
    return plan
  }

  private func capture(for format: FileFormat) throws -> CapturePlan {
    var capture = CapturePlan(
      device: arguments[Start.device]?.value ?? configuration.captureDevice,
      rate: arguments[Start.rate] ?? configuredRate(for: format),
      channels: arguments[Start.channels] ?? configuredChannels(for: format))
    capture.selection = arguments[Start.select]?.channels ?? []
    if let count = capture.channels?.value, !capture.selection.isEmpty,
      count != capture.selection.count
    {
      throw Self.usage(
        "--channels \(count) contradicts --select: \(counted(capture.selection.count, "channel"))")
    }
    try TrackOptions.apply(arguments, to: &capture, format)
    capture.gain = arguments[Start.gain] ?? .fullScale
    capture.period = try Self.positive(arguments[Start.period], "--period")
    capture.buffer = try Self.positive(arguments[Start.buffer], "--buffer")
    return capture
  }

  private func limits() throws -> RecordingLimits {
    let size = arguments[Start.maxSize]?.value
    if let size, size < 4_096 { throw Self.usage("--max-size must be at least 4K") }
    return RecordingLimits(
      duration: try Self.positive(arguments[Start.duration], "--duration"), size: size,
      free: arguments[Start.minFree]?.value ?? RecordingLimits.leastFree)
  }

  static func positive(_ duration: Duration?, _ option: String) throws -> Duration? {
    if let duration, duration <= .zero { throw Self.usage("\(option) must be more than 0") }
    return duration
  }

  /// Checks the sample format, as far as this is possible without the formats of the device.
  private static func checkSamples(_ plan: RecordingPlan) throws {
    let (output, format) = (plan.output, plan.output.format)
    if output.path == nil, !format.fitsPipe {
      throw Self.usage("only wav and raw can be written to stdout, not \(format)")
    }
    if let sample = output.sample, !format.samples.contains(sample) {
      throw Self.usage("\(format) cannot store \(sample) samples", Bits.advice(format.samples))
    }
    if let channels = plan.capture.channels, channels.value > format.mostRecordedChannels {
      guard format == .opus else { throw Self.usage("\(format) cannot store \(channels)") }
      throw Failure(
        .usage, "\(format) cannot store \(channels)",
        advice: "use FLAC, which stores up to eight, or WAV")
    }
    if let rate = plan.capture.rate, rate.hertz > format.highestRate {
      throw Self.usage("\(format) does not support \(rate)")
    }
  }

  static func usage(_ fact: String, _ advice: String? = nil) -> Failure {
    let help = "\"recorder start --help\" shows how to use it"
    return Failure(.usage, fact, advice: advice ?? help)
  }
}

// MARK: - The output

extension StartPlan {
  private func output() throws -> OutputPlan {
    if arguments[Start.output] != nil, !arguments[Start.file].isEmpty {
      throw Self.usage("give the file once, as FILE or with --output")
    }
    let typed = typedOutput
    var plan: OutputPlan
    if isSoundOutput {
      plan = OutputPlan(path: nil, format: arguments[Start.format] ?? .raw)
    } else {
      let chosen = try format(typed)
      plan = OutputPlan(path: nil, format: chosen)
      (plan.path, plan.pattern) = try path(typed, chosen)
      if typed == nil { plan.path = try plan.path.map(RecordedFile.free) }
    }
    plan.sample = arguments[Start.bits]?.sample ?? configuredSample(for: plan.format)
    plan.replaces = arguments[Start.force]
    plan.title = try arguments[Start.title].map { text in
      try MarkText.checked(text.value, of: "--title")
    }
    plan.note = try arguments[Start.note].map { text in
      try MarkText.checked(text.value, of: "--note")
    }
    if let wish = arguments[Start.sidecar] { plan.sidecar = wish == .always ? .always : .never }
    return plan
  }

  private var typedOutput: String? {
    (arguments[Start.output] ?? arguments[Start.file].first)?.text
  }

  /// Whether stdout carries the audio and nothing else.
  var isSoundOutput: Bool { typedOutput == "-" }

  /// Returns the absolute path, with the time filled in and the extension added. Also returns the
  /// pattern, or nil if the name contains no time.
  private func path(
    _ typed: String?, _ format: FileFormat
  ) throws -> (path: String, pattern: String?) {
    let pattern = typed?.named(for: format) ?? configuredName(format)
    let directory = try directory(of: typed)
    guard pattern.utf8.contains(UInt8(ascii: "%")) else {
      return (try Self.checked(directory + pattern), nil)
    }
    if let conversion = unknownConversion(in: pattern) {
      let isAfterDigit = conversion.first?.isDecimalDigit == true
      let code =
        isAfterDigit
        ? "\(quoted(conversion.trimmingBytes(first: 1))) after a digit" : quoted(conversion)
      throw Self.usage(
        "\(quoted(pattern)): \(code) is not a date code; for a percent sign, write %%")
    }
    guard let filled = localTime(pattern) else {
      throw Self.usage("\(quoted(pattern)) does not give a file name")
    }
    let literal = directory.utf8
      .split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    return (
      try Self.checked(directory + filled),
      Program.absolutePath(of: literal.joined(separator: "%%") + pattern)
    )
  }

  private static func checked(_ path: String) throws -> String {
    let absolute = Program.absolutePath(of: path)
    if path.ends(with: "/") {
      throw Self.usage(
        "\(quoted(absolute)) is a directory, not a file",
        "give a file in it such as \(quoted(absolute.path(of: "talk.wav"))), or make it the default "
          + "directory: recorder config set directory \(shellArgument(absolute))")
    }
    return absolute
  }

  /// Returns the working directory, with a slash at its end.
  private static func workingDirectory() throws -> String {
    do throws(SystemError) {
      let directory = try Program.workingDirectory()
      return directory.ends(with: "/") ? directory : directory + "/"
    } catch {
      guard error.errno == .illegalSequence else {
        throw Failure("cannot find the working directory", error, .outputRefused)
      }
      throw Failure(
        .outputRefused, "cannot record into this directory: its path is not UTF-8 text",
        advice: "rename the directory, or give a path elsewhere")
    }
  }
}

// MARK: - Settings

/// A setting replaces a missing option if the file format can store the value of the setting. A
/// recording to a pipe uses no setting except the device, because the program that reads the pipe
/// expects the format of the command line.
extension StartPlan {
  private func configuredRate(for format: FileFormat) -> SampleRate? {
    let rate = isSoundOutput ? nil : configuration[Settings.rate]
    return rate.flatMap { $0.hertz <= format.highestRate ? $0 : nil }
  }

  private func configuredChannels(for format: FileFormat) -> ChannelCount? {
    guard !isSoundOutput, arguments[Start.select] == nil else { return nil }
    return configuration[Settings.channels].flatMap {
      $0.value <= format.mostRecordedChannels ? $0 : nil
    }
  }

  private func configuredSample(for format: FileFormat) -> SampleFormat? {
    let sample = isSoundOutput ? nil : configuration[Settings.bits]?.sample
    return sample.flatMap { format.samples.contains($0) ? $0 : nil }
  }

  private func configuredName(_ format: FileFormat) -> String {
    let pattern = configuration[Settings.pattern]?.text ?? Settings.pattern.entry.builtIn
    return "\(pattern ?? "%Y%m%d-%H%M%S").\(format.suffixes.first ?? "wav")"
  }

  /// Returns the directory of a relative path, with a slash at its end; empty for an absolute path.
  private func directory(of typed: String?) throws -> String {
    if let typed { return try typed.begins(with: "/") ? "" : Self.workingDirectory() }
    return try configuration.directory ?? Self.workingDirectory()
  }
}

// MARK: - Files of a series

extension StartPlan {
  /// The shortest time between two splits. A program can handle a file in that time.
  private static var shortest: Duration { .seconds(1) }

  /// Adds to the plan how the take is split into files, and how those files are handled.
  private func addSeries(to plan: inout RecordingPlan) throws {
    plan.output.split = try splitPlan()
    plan.output.keep = arguments[Start.keep]?.plan
    plan.onSegment = try Self.program(arguments[Start.onSegment], "--on-segment")
    if arguments[Start.deliver] {
      guard let program = plan.onSegment, let series = plan.output.series else {
        throw Self.usage("--deliver needs --on-segment and a file to record to")
      }
      guard !plan.output.replaces else {
        throw Self.usage(
          "--force would replace files that wait for a delivery; remove --force or --deliver")
      }
      plan.output.delivery = DeliveryPlan(program: program, series: series)
      plan.onSegment = nil
    }
    plan.onStop = try Self.program(arguments[Start.onStop], "--on-stop")
    if plan.output.path == nil {
      guard !plan.output.isSeries, plan.onSegment == nil else {
        throw Self.usage(
          "a recording to stdout has no files; remove --split, --keep and --on-segment")
      }
    }
    if plan.output.replaces, plan.output.isSeries {
      throw Self.usage(
        "--split and --keep take the next free name and never replace a file; remove --force")
    }
  }

  private func splitPlan() throws -> SplitPlan? {
    guard let length = arguments[Start.split] else {
      if arguments[Start.align] != nil { throw Self.usage("--align needs --split") }
      return nil
    }
    guard length >= Self.shortest else { throw Self.usage("--split must be at least 1s") }
    return SplitPlan(length: length, isAligned: arguments[Start.align] == .clock)
  }

  private static func program(_ program: ProgramPath?, _ option: String) throws -> String? {
    guard let program else { return nil }
    let directory = try? Program.workingDirectory()
    if let path = directory.flatMap({ program.resolved(in: $0) }) { return path }
    let (reason, advice) = program.obstacle
    throw Failure(
      .usage, "\(option): cannot run \(quoted(program.text)): \(reason)", advice: advice)
  }
}

// MARK: - The format

extension StartPlan {
  /// Returns the format from the option or from the suffix of the file. If there is neither,
  /// returns the format from the settings, or else WAV.
  private func format(_ typed: String?) throws -> FileFormat {
    let given = arguments[Start.format]
    guard let suffix = typed?.pathNames.last?.formatSuffix else {
      return given ?? configuration[Settings.format] ?? .wav
    }
    if let given {
      try given.check(suffix)
      return given
    }
    guard let meant = FileFormat(suffix: suffix) else { throw Self.foreign(suffix) }
    return meant
  }

  private static func foreign(_ suffix: String) -> Failure {
    Failure(
      .usage, "cannot record \(quoted("." + suffix)) files",
      advice: ForeignEnding.advice(for: suffix))
  }
}
