package import Audio
package import Linux

/// A sound file of any program, gone through once: the streams that lie in it, each for a reader of its own.
package struct SurveyedFile: Sendable {
  let file: CheckedFile
  let survey: SoundSurvey
  /// True where the samples have no header.
  package let isRaw: Bool

  /// Goes through a file that is open for reading.
  ///
  /// - Parameters:
  ///   - raw: the format of the samples of a file without a header; nil reads it from the file.
  ///   - kinds: the files that are read.
  package init(
    _ descriptor: consuming Descriptor, named label: String, raw: StreamFormat? = nil,
    among kinds: SoundKinds = .common
  ) throws(SoundFileError) {
    try self.init(CheckedFile(descriptor, named: label), raw: raw, among: kinds)
  }

  init(
    _ file: CheckedFile, raw: StreamFormat?, among kinds: SoundKinds
  ) throws(SoundFileError) {
    self.file = file
    isRaw = raw != nil
    if let raw {
      let stream = RawStream(
        rate: raw.rate, channels: raw.channels, encoding: .plain(raw.sample))
      survey = SoundSurvey([SoundStream(FileView(0..<file.end), raw: stream)])
    } else {
      survey = try file.survey(among: kinds)
    }
  }

  /// The streams, which are played one after the other.
  package var streamCount: Int { survey.streams.count }

  /// A reader of one stream.
  package func reader(of index: Int) throws(SoundFileError) -> SoundFileReader {
    try SoundFileReader(self, streamAt: index)
  }

  /// The error of a decoder that does not open the file; a library's message is for programmers.
  func refusal(_ error: SoundFileError) -> SoundFileError {
    guard case .library(let function, let subject, _, _) = error, function != "dlopen" else {
      return error
    }
    return .undecodable(subject: subject, container: (try? file.containerName()) ?? "sound")
  }

  /// Throws where the file is not whole, as one that was copied in part.
  ///
  /// A file that does not state its length, because it was written into a pipe, is whole.
  package func check() throws(SoundFileError) {
    if let fault = survey.fault { throw fault }
  }

  /// Throws where the file is known to hold samples, although no decoder finds any.
  package func checkEmptiness() throws(SoundFileError) {
    if survey.hasSamples { throw .unfinished(subject: file.label) }
  }

  /// The facts of all streams together, at the rate of the first.
  package func info() throws(SoundFileError) -> SoundFileInfo {
    let first = try reader(of: 0)
    var info = first.info
    info.bytes = file.end
    if let container = survey.container { info.container = container }
    for index in 1..<max(1, streamCount) {
      let next = try reader(of: index)
      guard let frames = info.frames, let more = next.frames else {
        info.frames = nil
        break
      }
      info.frames = frames + more.converted(from: next.rate, to: info.rate)
    }
    if info.frames == 0 { try checkEmptiness() }
    return info
  }
}
