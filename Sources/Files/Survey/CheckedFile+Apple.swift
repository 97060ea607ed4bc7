internal import Audio

extension CheckedFile {
  /// The stream of a CAF file, with corrections of its header for the decoder.
  func appleSurvey() throws(SoundFileError) -> SoundSurvey {
    let whole = FileView(0..<end)
    var survey = SoundSurvey([SoundStream(whole)])
    guard let extent = try sampleExtent() else { return survey }
    let first = try startBehindHeaders(extent)
    let last = try lastBeforeHeader(extent, first)
    let place = extent.start - 4
    let isKnown = extent.count != nil && first == extent.start
    if isKnown {
      survey.hasSamples = (extent.count ?? 0) > 0
      let (expected, overflow) = extent.start.addingReportingOverflow(extent.count ?? 0)
      if overflow || expected > end {
        survey.fault = .cutOff(subject: label, expected: overflow ? .max : expected, actual: end)
      }
    } else {
      var view = FileView(0..<place - 8)
      var size: [UInt8] = []
      size.append(little: (last - first + 4).byteSwapped)
      view.append(size)
      view.append(place..<extent.start)
      view.append(first..<last)
      survey.streams[0].view = view
      survey.hasSamples = first < last
    }
    try describe(&survey, first..<last)
    if let channels = try channels(), let content = try content(of: "chan", upTo: 1 << 12) {
      // Apple Lossless has one order for each number of channels, also where ffmpeg states another beside it.
      let isLossless = try self.content(of: "desc", upTo: 32)?.name(at: 8) == "alac"
      survey.streams[0].speakers =
        isLossless ? AppleLayout.lossless(channels) : AppleLayout.speakers(content, channels)
    }
    return survey
  }

  /// Corrects the parts of the description that a decoder does not understand.
  private func describe(
    _ survey: inout SoundSurvey, _ samples: Range<Int64>
  ) throws(SoundFileError) {
    guard let content = try content(of: "desc", upTo: 32), content.count == 32 else { return }
    let kind = content.name(at: 8)
    switch kind {
    case "alac" where content[12..<16].allSatisfy({ $0 == 0 }):
      // ffmpeg omits the depth; it stands in the decoder's settings, too.
      guard let depth = try losslessDepth(), let place = try place(of: "desc") else { return }
      let flags: [UInt8: UInt8] = [16: 1, 20: 2, 24: 3, 32: 4]
      let view = survey.streams[0].view
      survey.streams[0].view = view.replacing(at: place + 12, with: [0, 0, 0, flags[depth] ?? 0])
    case ".mp1", ".mp2", ".mp3":
      var scan = MPEGScan(self, samples)
      guard let inner = try scan.survey() else { return }
      survey.streams = inner.streams
      survey.container = "CAF (Apple Core Audio File)"
    default:
      guard let name = Self.undecoded[kind] else { return }
      throw .notDecoded(subject: label, kind: "CAF audio (\(name))", isConvertible: true)
    }
  }

  private func channels() throws(SoundFileError) -> ChannelCount? {
    guard let content = try content(of: "desc", upTo: 32), content.count == 32 else { return nil }
    return ChannelCount(Int(content.number(at: 24, as: UInt32.self).byteSwapped))
  }

  private static let undecoded = [
    "aac ": "AAC", "aach": "AAC", "aacl": "AAC", "opus": "Opus", "flac": "FLAC", "ac-3": "AC-3",
    "QDM2": "QDesign", "ima4": "IMA ADPCM", "MAC3": "MACE", "MAC6": "MACE", "ilbc": "iLBC",
  ]

  /// The bits of a sample of Apple Lossless: the fifth byte of its settings, which may have atoms before them.
  private func losslessDepth() throws(SoundFileError) -> UInt8? {
    guard let cookie = try content(of: "kuki", upTo: 64) else { return nil }
    let start = cookie.count >= 12 && cookie.name(at: 4) == "frma" ? 24 : 0
    return cookie.count > start + 5 ? cookie[start + 5] : nil
  }

  /// The first sample, behind copies of the header that programs put into a pipe where they could not go back.
  private func startBehindHeaders(_ extent: SampleExtent) throws(SoundFileError) -> Int64 {
    guard extent.count == nil else { return extent.start }
    var first = extent.start
    while try isHeader(at: first, extent) { first += extent.start }
    return min(first, end)
  }

  private func lastBeforeHeader(
    _ extent: SampleExtent, _ first: Int64
  ) throws(SoundFileError) -> Int64 {
    guard extent.count == nil else { return end }
    var last = end
    while last - extent.start >= first {
      guard try isHeader(at: last - extent.start, extent) else { break }
      last -= extent.start
    }
    return last
  }

  private func isHeader(at place: Int64, _ extent: SampleExtent) throws(SoundFileError) -> Bool {
    guard place + extent.start <= end else { return false }
    let head = try bytes(at: 0, upTo: 52)
    return try bytes(at: place, upTo: 52) == head
  }
}
