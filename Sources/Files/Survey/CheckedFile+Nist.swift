internal import Audio

extension CheckedFile {
  /// The stream of a NIST file; samples of a width that decoders do not know are read without the header.
  func nistSurvey() throws(SoundFileError) -> SoundSurvey {
    var survey = SoundSurvey([SoundStream(FileView(0..<end))])
    survey.hasSamples = end > Self.nistHeaderBytes
    let text = String(decoding: try bytes(at: 0, upTo: Int(Self.nistHeaderBytes)), as: UTF8.self)
    let fields = Self.nistFields(text)
    let formats: [Int: SampleFormat] = [3: .int24Packed, 4: .int32]
    guard fields["sample_coding"] ?? "pcm" == "pcm",
      let sample = fields["sample_n_bytes"].flatMap({ Int($0) }).flatMap({ formats[$0] }),
      let rate = fields["sample_rate"].flatMap({ Int($0) }).flatMap(SampleRate.init),
      let channels = fields["channel_count"].flatMap({ Int($0) }).flatMap(ChannelCount.init),
      let frames = fields["sample_count"].flatMap({ Int64($0) }), frames >= 0
    else { return survey }
    let order = fields["sample_byte_format"] ?? ""
    let raw = RawStream(
      rate: rate, channels: channels, encoding: .plain(sample), isBigEndian: order.hasPrefix("1"))
    let size = frames.multipliedReportingOverflow(
      by: Int64(sample.bytesPerSample * channels.value))
    guard !size.overflow, size.partialValue <= end - Self.nistHeaderBytes else {
      survey.fault = .cutOff(subject: label, expected: nil, actual: end)
      return survey
    }
    let range = Self.nistHeaderBytes..<Self.nistHeaderBytes + size.partialValue
    survey.streams = [SoundStream(FileView(range), raw: raw)]
    survey.container = "WAV (NIST Sphere)"
    return survey
  }

  private static let nistHeaderBytes: Int64 = 1_024

  /// The fields of the header: lines of a name, a type and a value.
  private static func nistFields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 3 { fields[String(words[0])] = String(words[2]) }
    }
    return fields
  }
}
