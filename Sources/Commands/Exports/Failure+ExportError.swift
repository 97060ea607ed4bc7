internal import Analysis
internal import Decoding
internal import Exports
internal import Files
internal import Linux
internal import Sounds

extension Failure {
  /// The failure to export a sound, with advice.
  init(exporting path: String, _ error: ExportError) {
    switch error {
    case .decoding(let cause): self.init(exporting: path, cause)
    case .output(let cause): self.init(writing: cause)
    case .writing(_, .system(let cause)): self.init(writing: cause)
    case .writing(let path, let cause):
      self.init(.outputRefused, Message("cannot write", on: path, why: "\(cause)"))
    case .refused(let cause): self.init(exporting: path, cause)
    case .analysis(let cause): self.init(.failed, cause.message)
    case .interrupted:
      self.init(.interrupted, Message("interrupted; no file was written from \(quoted(path))"))
    }
  }

  private init(exporting path: String, _ cause: DecodingError) {
    switch cause {
    case .file(let error): self.init(reading: path, error)
    case .refused(let problem): self.init(reading: path, problem)
    case .incomplete, .tooLong: self.init(reading: path, .broken)
    case .system(let error):
      self.init(.failed, Message("cannot decode", on: path, why: "\(error.errno)"))
    }
  }
}

extension AnalysisError {
  /// The reason as a message, with the package that contains a missing library.
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
