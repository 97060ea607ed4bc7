internal import Audio

extension CheckedFile {
  /// True for an IFF file of 8 bits in stereo, whose left channel lies before its right one as a whole.
  func isStereoIFF() throws(SoundFileError) -> Bool {
    let head = try bytes(at: 0, upTo: 12)
    guard head.count == 12, head.name(at: 8) == "8SVX",
      let channels = try content(of: "CHAN", upTo: 4)
    else { return false }
    return channels == [0, 0, 0, 6]
  }

  /// The stream of such a file, its channels brought together.
  func interleavedSurvey() throws(SoundFileError) -> SoundSurvey {
    guard let header = try content(of: "VHDR", upTo: 64), header.count >= 20,
      let rate = SampleRate(Int(header[12]) << 8 | Int(header[13])),
      let extent = try sampleExtent(), let count = extent.count
    else { throw .notSound(subject: label) }
    guard header[15] == 0 else {
      throw .notDecoded(subject: label, kind: "IFF audio (compressed)", isConvertible: true)
    }
    var view = FileView()
    view.append(pairsFrom: extent.start, extent.start + count / 2, count: count / 2)
    let raw = RawStream(rate: rate, channels: .stereo, encoding: .signed8)
    var survey = SoundSurvey([SoundStream(view, raw: raw)], container: "IFF (Amiga IFF/SVX8/SV16)")
    survey.hasSamples = count > 0
    if count > end - extent.start {
      survey.fault = .cutOff(subject: label, expected: extent.start + count, actual: end)
    }
    return survey
  }
}
