package import Audio
package import Linux

/// A sound file from any program, and the streams that a survey has found in the file. Each stream
/// gets its own reader.
package struct SurveyedFile: Sendable {
  let file: CheckedFile
  let survey: SoundSurvey
  /// Whether the file has only samples, and no header.
  package let isRaw: Bool

  /// Surveys a file that is open for reading.
  ///
  /// - Parameters:
  ///   - raw: the format of the samples of a file without a header, or nil to read the format from
  ///     the file.
  ///   - kinds: the kinds of files to accept.
  package init(
    _ descriptor: consuming Descriptor, named label: String, raw: StreamFormat? = nil,
    among kinds: SoundKinds = .common
  ) throws(SoundFileError) {
    try self.init(CheckedFile(descriptor, named: label), raw: raw, among: kinds)
  }

  init(_ file: CheckedFile, raw: StreamFormat?, among kinds: SoundKinds) throws(SoundFileError) {
    self.file = file
    isRaw = raw != nil
    if let raw {
      let stream = RawStream(rate: raw.rate, channels: raw.channels, encoding: .plain(raw.sample))
      survey = SoundSurvey([SoundStream(FileView(0..<file.end), raw: stream)])
    } else {
      survey = try FileSurvey(file).survey(among: kinds)
    }
  }

  /// The number of streams. They play one after the other.
  package var streamCount: Int { survey.streams.count }

  /// Returns a reader of one stream.
  package func reader(of index: Int) throws(SoundFileError) -> SoundFileReader {
    try reader(of: survey.streams[index])
  }

  private func reader(of stream: SoundStream) throws(SoundFileError) -> SoundFileReader {
    try mapError(refusal, SoundFileReader(file, stream))
  }

  /// Returns the error to report if a decoder cannot open the file. The error replaces the message
  /// of a library, which is for programmers.
  private func refusal(_ error: SoundFileError) -> SoundFileError {
    guard case .library(let function, let subject, _, _) = error, function != "dlopen" else {
      return error
    }
    if let fault = survey.fault { return fault }
    return .undecodable(
      subject: subject, container: (try? FileSurvey.containerName(of: file)) ?? "sound")
  }

  /// Returns the missing or surplus parts of the file, or nil if the file is whole. Throws if
  /// nothing in the file can be decoded.
  ///
  /// A file that was written to a pipe does not state its length. Such a file counts as whole.
  package func flaw() throws(SoundFileError) -> SoundFlaw? {
    guard survey.fault != nil || survey.trailingBytes > 0 else { return nil }
    var frames = FrameCount(0)
    for index in 0..<streamCount {
      var reader = try reader(of: index)
      frames += reader.frames ?? reader.countFrames()
    }
    if let fault = survey.fault, frames <= 0 { throw fault }
    return SoundFlaw(
      frames: frames, missing: missing(from: frames), isCutShort: survey.fault != nil,
      trailingBytes: survey.trailingBytes,
      isRepairable: (try? waveCopy(isFlawed: true)) != nil)
  }

  /// Returns the number of frames that the file states but does not contain, or nil if this number
  /// is unknown.
  private func missing(from frames: FrameCount) -> FrameCount? {
    if survey.fault == nil { return 0 }
    if let stated = survey.stated, let reader = try? reader(of: stated) {
      return reader.frames.map { max(0, $0 - frames) }
    }
    return streamCount == 1 ? survey.streams[0].missing : nil
  }

  /// Throws if the file is known to contain samples. Call this function if the decoder finds no
  /// samples.
  package func checkEmptiness() throws(SoundFileError) {
    if survey.hasSamples { throw .unfinished(subject: file.label) }
  }

  /// Returns the properties of all streams together, at the rate of the first stream.
  package func info() throws(SoundFileError) -> SoundFileInfo {
    let first = try reader(of: 0)
    var info = first.info
    info.bytes = file.end
    if let container = survey.container { info.container = container }
    if streamCount > 1 { info.sample = nil }
    for index in 1..<max(1, streamCount) {
      let next = try reader(of: index)
      guard let frames = info.frames, let more = next.frames else {
        info.frames = nil
        break
      }
      info.frames = frames + more.converted(from: next.rate, to: info.rate)
    }
    info.flaw = try flaw()
    if info.frames == 0 { try checkEmptiness() }
    return info
  }
}
