internal import Analysis
internal import Audio
internal import Decoding
internal import Exports
internal import Files
internal import Linux
internal import Pictures
internal import Sounds

/// Runs an export or a measurement of the sound at `path`, and throws its error as a failure with
/// advice.
///
/// - Parameters:
///   - files: the paths of all files of the sound if there are several.
///   - track: the name of the only track that is exported, or nil for the whole sound.
func exporting<Result>(
  _ path: String, from files: [String] = [], track: String? = nil, _ body: () throws -> Result
) throws(Failure) -> Result {
  try mapError({ Failure(exporting: path, from: files, track: track, $0) }, body)
}

/// Runs a call that writes the file at `path`, and throws its error as a failure.
func writing<Result: ~Copyable>(
  _ path: String, _ body: () throws(SystemError) -> Result
) throws(Failure) -> Result {
  try mapError(
    { Failure(writing: SystemError($0.function, path, errno: $0.errno)) }, body)
}

extension Failure {
  fileprivate init(
    exporting path: String, from files: [String], track: String?, _ error: any Error
  ) {
    switch error {
    case let error as ExportRefusal: self.init(exporting: path, track: track, error)
    case let error as SourceError:
      let file = files.indices.contains(error.file) ? files[error.file] : path
      self.init(decodingSource: file, error.cause)
    case let error as SystemError where error.function != "pthread_create":
      self.init(writing: error)
    case SoundFileError.system(let error): self.init(writing: error)
    case let error as SoundFileError:
      self.init(.outputRefused, "cannot write the file: \(error)")
    default: self.init(explaining: error)
    }
  }

  private init(decodingSource path: String, _ error: any Error) {
    switch error {
    case let error as SoundFileError: self.init(reading: path, error)
    case let problem as SoundProblem: self.init(reading: path, problem)
    case is DecodingError: self.init(reading: path, .broken)
    case let error as SystemError:
      self.init(.failed, Message("cannot decode", on: path, why: "\(error.errno)"))
    default: self.init(explaining: error)
    }
  }
}

extension AnalysisError {
  /// The error as a message. For a missing library, the advice names the package that contains it.
  var message: Message {
    switch self {
    case .missing(let library, let words):
      Message(
        "cannot measure the loudness: \(library) is not installed",
        advice: MissingLibrary(in: words)?.advice)
    case .library: Message("cannot measure the loudness: libebur128 failed")
    }
  }
}

extension PictureError {
  /// The error as a message. For a missing library, the advice names the package that contains it.
  var message: Message {
    switch self {
    case .missing(let words):
      Message(
        "cannot make the picture: \(printable(words))",
        advice: MissingLibrary(in: words)?.advice)
    case .library: Message("cannot make the picture: zlib failed")
    }
  }
}

extension Failure {
  /// Creates the failure for a sound that cannot be exported as requested, with advice.
  init(exporting path: String, track: String? = nil, _ refusal: ExportRefusal) {
    let sound = (track.map { "the track \(quoted($0)) of " } ?? "") + quoted(path)
    switch refusal {
    case .beyondEnd(let length):
      self.init(.usage, "--from is past the end of \(quoted(path)), which lasts \(clock(length))")
    case .emptyPart:
      self.init(.usage, "the requested part of \(quoted(path)) contains no frame")
    case .silence:
      self.init(
        .nothingCaptured, "\(sound) contains only silence below -60dB",
        advice: "leave out --trim to export it")
    case .tooQuiet:
      self.init(.nothingCaptured, "\(sound) is too quiet or too short to measure")
    case .noFrames(let format):
      self.init(
        .nothingCaptured, "\(quoted(path)) contains no audio, and \(format) files cannot be empty",
        advice: "use a wav file")
    case .tooLarge(let format):
      self.init(
        .usage, "\(sound) is too large: \(format) files have at most 4 GB",
        advice: "choose another format such as WAV, or export parts with --from and --to")
    case .noEchoCanceller(let missing):
      self.init(
        .failed,
        missing.map { "cannot remove the echo: PipeWire's echo canceller needs \($0)" }
          ?? "cannot remove the echo: PipeWire's echo canceller does not work at this rate",
        advice: missing.map { MissingLibrary(named: $0)?.advice } ?? "try --rate 48000")
    case .noMarks:
      self.init(
        .notFound,
        Message(
          "\(quoted(path)) has no marks to cut at",
          advice: "set marks with \"recorder mark\" while recording, or cut with --from and --to"))
    case .noTrack(let name, let names):
      self.init(
        .notFound,
        Message(
          "\(quoted(path)) has no track" + (name.map { " \(quoted($0))" } ?? "s"),
          advice: names.isEmpty
            ? TakeLookup.trackText(of: path).map { "it is \($0); give that file" }
              ?? "\"recorder start --track\" records tracks, and FILE.json has their names"
            : "it has \(alternatives(names.map(quoted), "and"))"))
    case .channels(let format, let channels, let tracks):
      let options = tracks.map { "--track \($0)" } + [tracks.isEmpty ? "--mono" : "--mix"]
      self.init(
        .usage,
        "\(format) files have at most \(format.mostChannels) channels, and \(quoted(path)) has "
          + "\(channels.value)", advice: "add \(alternatives(options)), or choose another format")
    case .sample(let format, let sample):
      self.init(
        .usage, "\(format) files cannot store \(sample) samples",
        advice: Bits.advice(format.exportSamples))
    }
  }

  /// Creates the failure for an error that occurred while a new file was written.
  init(writing cause: SystemError) {
    let isFile = cause.subject.map { $0 != "stdout" } ?? false
    let (why, advice): (String, String?) =
      switch cause.errno {
      case .exists: ("it already exists", "choose another name, or remove it first")
      default: ("\(cause.errno)", isFile ? cause.errno.outputAdvice : nil)
      }
    self.init(
      .outputRefused, "cannot write", on: cause.subject ?? "stdout", why: why, advice: advice)
  }
}
