internal import Audio

/// The survey of a CAF file before a decoder reads the file.
struct AppleSurvey {
  let chunks: Chunks
  private var file: CheckedFile { chunks.file }

  /// Returns the stream, with a corrected header for the decoder.
  func survey() throws(SoundFileError) -> SoundSurvey {
    let whole = FileView(0..<file.end)
    var survey = SoundSurvey([SoundStream(whole)])
    guard let extent = try chunks.sampleExtent() else { return survey }
    let first = try startBehindHeaders(extent)
    // The file may end before the first sample.
    let last = max(first, try lastBeforeHeader(extent, first))
    let contentStart = extent.start - 4
    let isKnown = extent.count != nil && first == extent.start
    if isKnown { try FileTail(file: file, chunks: chunks).check(extent, &survey) }
    if !isKnown || extent.reaches(past: file.end) {
      var view = FileView(0..<contentStart - 8)
      view.append((last - first + 4).bigBytes)
      view.append(contentStart..<extent.start)
      view.append(first..<last)
      survey.streams[0].view = view
      survey.hasSamples = first < last
    }
    try describe(&survey, first..<last)
    if let channels = try channels(), let content = try chunks.content(of: "chan", upTo: 1 << 12) {
      // Apple Lossless has one channel order for each number of channels, even if ffmpeg has
      // written another order into the file.
      let isLossless = try chunks.content(of: "desc", upTo: 32)?.name(at: 8) == "alac"
      survey.streams[0].speakers =
        isLossless ? AppleLayout.lossless(channels) : AppleLayout.speakers(content, channels)
    }
    return survey
  }

  /// Corrects the parts of the description that the decoder does not understand.
  private func describe(
    _ survey: inout SoundSurvey, _ samples: Range<Int64>
  ) throws(SoundFileError) {
    guard let content = try chunks.content(of: "desc", upTo: 32), content.count == 32 else {
      return
    }
    let kind = content.name(at: 8)
    switch kind {
    case "alac" where content[12..<16].allSatisfy({ $0 == 0 }):
      // ffmpeg omits the bit depth here, but the settings for the decoder contain it.
      guard let depth = try losslessDepth(), let offset = try chunks.offset(of: "desc") else {
        return
      }
      let flags: [UInt8: UInt8] = [16: 1, 20: 2, 24: 3, 32: 4]
      let view = survey.streams[0].view
      survey.streams[0].view = view.replacing(at: offset + 12, with: [0, 0, 0, flags[depth] ?? 0])
    case ".mp1", ".mp2", ".mp3":
      var scan = MPEGScan(file, samples)
      guard let inner = try scan.survey() else { return }
      survey.streams = inner.streams
      survey.container = "CAF (Apple Core Audio File)"
    default:
      guard let name = Self.undecoded[kind] else { return }
      throw .notDecoded(subject: file.label, kind: "CAF audio (\(name))", isConvertible: true)
    }
  }

  private func channels() throws(SoundFileError) -> ChannelCount? {
    guard let content = try chunks.content(of: "desc", upTo: 32), content.count == 32 else {
      return nil
    }
    return ChannelCount(Int(content.number(at: 24, as: UInt32.self).byteSwapped))
  }

  private static let undecoded = [
    "aac ": "AAC", "aach": "AAC", "aacl": "AAC", "opus": "Opus", "flac": "FLAC", "ac-3": "AC-3",
    "QDM2": "QDesign", "ima4": "IMA ADPCM", "MAC3": "MACE", "MAC6": "MACE", "ilbc": "iLBC",
  ]

  /// Returns the bits per sample of Apple Lossless, which are byte 5 of its settings. There may be
  /// atoms before the settings.
  private func losslessDepth() throws(SoundFileError) -> UInt8? {
    guard let cookie = try chunks.content(of: "kuki", upTo: 64) else { return nil }
    let start = cookie.count >= 12 && cookie.name(at: 4) == "frma" ? 24 : 0
    return cookie.count > start + 5 ? cookie[start + 5] : nil
  }

  /// Returns the offset of the first sample, after all copies of the header. A program that writes
  /// to a pipe may write the header again, because it cannot seek back.
  private func startBehindHeaders(_ extent: SampleExtent) throws(SoundFileError) -> Int64 {
    guard extent.count == nil else { return extent.start }
    var first = extent.start
    while try isHeader(at: first, extent) { first += extent.start }
    return min(first, file.end)
  }

  private func lastBeforeHeader(
    _ extent: SampleExtent, _ first: Int64
  ) throws(SoundFileError) -> Int64 {
    guard extent.count == nil else { return file.end }
    var last = file.end
    while last - extent.start >= first {
      guard try isHeader(at: last - extent.start, extent) else { break }
      last -= extent.start
    }
    return last
  }

  private func isHeader(at offset: Int64, _ extent: SampleExtent) throws(SoundFileError) -> Bool {
    guard offset + extent.start <= file.end else { return false }
    let head = try file.bytes(at: 0, upTo: 52)
    return try file.bytes(at: offset, upTo: 52) == head
  }
}

/// Speaker positions in Apple's files. A file states them as a bit mask, as a description of each
/// channel, or as a number that stands for a common order (CoreAudioTypes,
/// `AudioChannelLayoutTag`).
enum AppleLayout {
  /// Parses the content of a `chan` chunk. Returns nil if the content has unknown positions or does
  /// not match the number of channels.
  static func speakers(_ content: [UInt8], _ channels: ChannelCount) -> [Speaker]? {
    guard content.count >= 12 else { return nil }
    let numbers = [0, 4, 8].map { content.number(at: $0, as: UInt32.self).byteSwapped }
    switch numbers[0] {
    case 0: return described(content, Int(numbers[2]), channels)
    case 1 << 16: return [Speaker](waveMask: numbers[1], channels: channels)
    case let tag: return speakers(usual: Int(tag >> 16), channels)
    }
  }

  /// Returns the channel order of Apple Lossless for this number of channels.
  static func lossless(_ channels: ChannelCount) -> [Speaker]? {
    let numbers = [100, 101, 114, 116, 120, 124, 142, 127]
    guard channels.value <= numbers.count else { return nil }
    return speakers(usual: numbers[channels.value - 1], channels)
  }

  private static func speakers(usual number: Int, _ channels: ChannelCount) -> [Speaker]? {
    guard let order = orders[number] else { return nil }
    return positions(order.split(separator: " ").map { names[String($0)] ?? 0 }, channels)
  }

  private static func described(
    _ content: [UInt8], _ count: Int, _ channels: ChannelCount
  ) -> [Speaker]? {
    guard count == channels.value, content.count >= 12 + 20 * count else { return nil }
    let labels = (0..<count).map {
      content.number(at: 12 + 20 * $0, as: UInt32.self).byteSwapped
    }
    return positions(labels.map(Int.init), channels)
  }

  private static func positions(_ labels: [Int], _ channels: ChannelCount) -> [Speaker]? {
    // If there are rear speakers, the surround speakers are at the sides.
    let hasRear = labels.contains(33) || labels.contains(9)
    let found = labels.compactMap { label -> Speaker? in
      switch label {
      case 5 where hasRear: .sideLeft
      case 6 where hasRear: .sideRight
      default: speakers[label]
      }
    }
    return found.count == channels.value && Set(found).count == found.count ? found : nil
  }

  private static let speakers: [Int: Speaker] = [
    1: .frontLeft, 2: .frontRight, 3: .frontCenter, 4: .lowFrequency, 5: .backLeft, 6: .backRight,
    7: .frontLeftOfCenter, 8: .frontRightOfCenter, 9: .backCenter, 10: .sideLeft, 11: .sideRight,
    33: .backLeft, 34: .backRight, 42: .frontCenter,
  ]

  private static let names = [
    "L": 1, "R": 2, "C": 3, "LFE": 4, "Ls": 5, "Rs": 6, "Lc": 7, "Rc": 8, "Cs": 9, "Rls": 33,
    "Rrs": 34,
  ]

  private static let orders = [
    100: "C", 101: "L R", 102: "L R", 108: "L R Ls Rs", 113: "L R C", 114: "C L R",
    115: "L R C Cs", 116: "C L R Cs", 117: "L R C Ls Rs", 118: "L R Ls Rs C", 119: "L C R Ls Rs",
    120: "C L R Ls Rs", 121: "L R C LFE Ls Rs", 122: "L R Ls Rs C LFE", 123: "L C R Ls Rs LFE",
    124: "C L R Ls Rs LFE", 125: "L R C LFE Ls Rs Cs", 126: "L R C LFE Ls Rs Lc Rc",
    127: "C Lc Rc L R Ls Rs LFE", 128: "L R C LFE Ls Rs Rls Rrs", 131: "L R Cs",
    132: "L R Ls Rs", 133: "L R LFE", 134: "L R LFE Cs", 135: "L R LFE Ls Rs", 136: "L R C LFE",
    137: "L R C LFE Cs", 138: "L R Ls Rs LFE", 139: "L R C Ls Rs Cs", 140: "L R C Ls Rs Rls Rrs",
    141: "C L R Ls Rs Cs", 142: "C L R Ls Rs Cs LFE", 143: "C L R Ls Rs Rls Rrs",
  ]
}
