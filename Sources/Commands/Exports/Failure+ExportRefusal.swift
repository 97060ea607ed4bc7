package import Audio
package import Linux

extension Failure {
  /// Creates the failure for a sound that cannot be exported as requested, with advice.
  package init(exporting path: String, _ refusal: ExportRefusal) {
    switch refusal {
    case .beyondEnd(let length):
      self.init(
        .usage,
        Message("--from is past the end of \(quoted(path)), which lasts \(clock(length))"))
    case .silence:
      self.init(
        .nothingCaptured,
        Message(
          "\(quoted(path)) contains only silence below -60dB",
          advice: "leave out --trim to export it"))
    case .tooQuiet:
      self.init(
        .nothingCaptured,
        Message("\(quoted(path)) is too quiet or too short to measure"))
    case .noFrames(let format):
      self.init(
        .nothingCaptured,
        Message(
          "\(quoted(path)) contains no audio, and a \(format) file cannot be empty",
          advice: "use a wav file"))
    case .noMarks:
      self.init(
        .notFound,
        Message(
          "\(quoted(path)) has no marks to cut at",
          advice: "set marks with \"recorder mark\" while recording, or cut with --from and --to"))
    case .channels(let format, let channels):
      self.init(
        .usage,
        Message(
          "\(format) files have at most \(format.mostChannels) channels, and \(quoted(path)) has "
            + "\(channels.value)",
          advice: "add --mono, or choose another format"))
    case .rate(let format, let rate):
      self.init(
        .usage,
        Message(
          "\(format) files do not support \(rate)",
          advice: "try --rate \(format.rate(for: rate).hertz)"))
    case .sample(let format, let sample):
      self.init(
        .usage,
        Message(
          "\(format) files cannot store \(sample) samples", advice: Bits.advice(format.samples)))
    }
  }

  /// Creates the failure to write a new file.
  package init(writing cause: SystemError) {
    let (why, advice): (String, String?) =
      switch cause.errno {
      case .exists: ("it already exists", "choose another name, or remove it first")
      case .noSuchFile where cause.subject?.ends(with: "/") == true:
        ("there is no such directory", "create it first")
      case .noSuchFile: ("its directory does not exist", "create the directory first")
      default: ("\(cause.errno)", nil)
      }
    self.init(
      .outputRefused,
      Message("cannot write", on: cause.subject ?? "stdout", why: why, advice: advice))
  }
}
