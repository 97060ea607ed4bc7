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
