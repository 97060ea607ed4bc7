internal import Audio
internal import CommandLine
internal import Files
internal import Linux
internal import Playback

extension DecodeOrder {
  /// The most memory that a sound may take whose length its file does not say.
  private static let most = 256 << 20

  /// Decodes all of the file, or the beginning of a long one.
  func decode(_ file: consuming Descriptor) throws(Failure) -> Sound {
    if isBundled { return try decodeHere(file) }
    var decoder = try ForeignDecoder(file, self)
    if let length = try decoder.length(),
      length.duration(at: format.rate) > SoundMemoryLimits.longestWhole
    {
      return try SoundFeed.begin(decoder, file, self, length)
    }
    let bytes = try decoder.readAll(upTo: Self.most)
    return Sound(unsafe bytes.span.bytes, format: decoded)
  }

  private func decodeHere(_ file: consuming Descriptor) throws(Failure) -> Sound {
    var bytes: [UInt8] = []
    do throws(SoundFileError) {
      let reader = try PlainWave(file, named: name)
      try SoundDecoding(name: name, format: format).run(reader) { samples throws(SoundFileError) in
        unsafe samples.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      }
    } catch {
      throw Failure(reading: name, error)
    }
    return Sound(unsafe bytes.span.bytes, format: decoded)
  }
}
