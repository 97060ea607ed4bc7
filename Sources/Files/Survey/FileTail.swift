/// The part of a file after its samples.
struct FileTail {
  let file: CheckedFile
  let chunks: Chunks?

  /// Sets `hasSamples` from the header. Sets a fault if the file has fewer samples than the header
  /// states, and otherwise checks the chunks after the samples.
  func check(_ extent: SampleExtent?, _ survey: inout SoundSurvey) throws(SoundFileError) {
    guard let extent else { return }
    guard let count = extent.count else {
      survey.hasSamples = extent.start < file.end
      return
    }
    survey.hasSamples = count > 0
    guard extent.reaches(past: file.end) else {
      return try checkTail(behind: extent.start + count, &survey)
    }
    let (expected, overflow) = extent.start.addingReportingOverflow(count)
    survey.fault = .cutOff(
      subject: file.label, expected: overflow ? .max : expected, actual: file.end)
    if !overflow {
      var view = FileView(0..<file.end)
      view.append(0, times: expected - file.end)
      survey.stated = SoundStream(view)
    }
  }

  /// Sets a fault if a chunk after the samples is incomplete. Otherwise counts the bytes after the
  /// last chunk.
  ///
  /// A missing padding byte is not a fault, because many programs omit it.
  private func checkTail(
    behind samples: Int64, _ survey: inout SoundSurvey
  ) throws(SoundFileError) {
    let found = try chunks?.wholeChunks(behind: samples) ?? (end: samples, statedEnd: nil)
    guard let expected = found.statedEnd else {
      return try hideTrailingBytes(from: found.end, &survey)
    }
    survey.fault = .cutOff(subject: file.label, expected: expected, actual: file.end)
    survey.stated = survey.streams[0]
  }

  /// Counts the bytes that do not belong to the format of the file, and removes them from the view
  /// of the first stream. Otherwise the decoder of IFF would read these bytes as samples.
  private func hideTrailingBytes(
    from offset: Int64, _ survey: inout SoundSurvey
  ) throws(SoundFileError) {
    survey.trailingBytes = try Self.trailingBytes(of: file, from: offset)
    guard survey.trailingBytes > 0 else { return }
    var view = FileView()
    view.append(survey.streams[0].view, 0..<file.end - survey.trailingBytes)
    survey.streams[0].view = view
  }

  /// Skips the tags and the zero padding at `offset`. Returns the number of bytes that remain up to
  /// `last` or the end of the file.
  static func trailingBytes(
    of file: CheckedFile, from offset: Int64, to last: Int64 = .max
  ) throws(SoundFileError) -> Int64 {
    let end = min(file.end, last)
    var window = FileWindow(file, min(offset, end)..<end)
    var rest = window.range.lowerBound
    while rest < end {
      let next = try ForeignTag.end(from: rest, in: &window)
      let padded = try window.offset(from: next) { $0 != 0 }
      if padded == rest { return end - rest }
      rest = padded
    }
    return 0
  }
}
