extension CheckedFile {
  /// Sets a fault if a chunk after the samples is incomplete, and counts the bytes that are in no
  /// chunk.
  ///
  /// A missing padding byte is not a fault, because many programs omit it.
  func checkTail(
    behind samples: Int64, _ survey: inout SoundSurvey
  ) throws(SoundFileError) {
    guard let layout = ChunkLayout(of: try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)) else {
      return try hideTrailingBytes(from: samples, &survey)
    }
    var offset = layout.next(after: samples, 0) ?? end
    for _ in 0..<Self.mostChunks where offset < end {
      let head = try bytes(at: offset, upTo: layout.headBytes)
      guard head.count == layout.headBytes, Self.isChunkName(head.prefix(4)) else {
        return try hideTrailingBytes(from: offset, &survey)
      }
      let (start, content) = (offset + Int64(layout.headBytes), max(0, layout.content(head)))
      guard content <= end - start else {
        let (expected, overflow) = start.addingReportingOverflow(content)
        survey.fault = .cutOff(subject: label, expected: overflow ? .max : expected, actual: end)
        survey.stated = survey.streams[0]
        return
      }
      offset = layout.next(after: start, content) ?? end
    }
  }

  /// Counts the bytes that do not belong to the file, and hides them from the decoder of the first
  /// stream. The decoder of IFF would read them as samples.
  private func hideTrailingBytes(
    from offset: Int64, _ survey: inout SoundSurvey
  ) throws(SoundFileError) {
    survey.trailingBytes = try trailingBytes(from: offset)
    guard survey.trailingBytes > 0 else { return }
    var view = FileView()
    view.append(survey.streams[0].view, 0..<end - survey.trailingBytes)
    survey.streams[0].view = view
  }

  /// Whether bytes look like the name of a chunk and not like noise.
  static func isChunkName(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80
        && (character.isLetter || character.isNumber || " ()_-.".contains(character))
    }
  }

  /// Returns the number of bytes from `offset` to `last` or to the end, without tags and zero
  /// padding.
  func trailingBytes(
    from offset: Int64, to last: Int64 = .max
  ) throws(SoundFileError) -> Int64 {
    let end = min(end, last)
    var window = FileWindow(self, min(offset, end)..<end)
    var rest = window.range.lowerBound
    while rest < end {
      let next = try ForeignTag.end(from: rest, in: &window)
      let padded = try window.offset(ofOther: 0, from: next)
      if padded == rest { return end - rest }
      rest = padded
    }
    return 0
  }
}
