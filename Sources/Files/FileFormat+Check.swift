package import Audio

extension FileFormat {
  /// Throws unless a file of this format can hold `stream`.
  package func check(_ stream: StreamFormat) throws(SoundFileError) {
    guard samples.contains(stream.sample) else { throw .unsupported(self, .sample(stream.sample)) }
    guard stream.channels.value <= mostChannels else {
      throw .unsupported(self, .channels(stream.channels))
    }
    guard stream.rate.hertz <= highestRate, rates?.contains(stream.rate.hertz) ?? true else {
      throw .unsupported(self, .rate(stream.rate))
    }
  }
}
