package import Audio

/// The container, stream, tags and compression of a new sound file.
package struct SoundFileSettings: Hashable, Sendable {
  /// The container.
  package var format: FileFormat
  /// Rate, channels and the sample format in the file.
  package var stream: StreamFormat
  /// The texts that the file carries, such as its title; a raw file has none.
  package var tags: SoundFileTags
  /// FLAC's compression, 0 to 8.
  package var flacLevel = 5
  /// Opus's bits a second over all channels; nil leaves the choice to libsndfile.
  package var opusBitrate: Int?

  /// Settings with the default compression.
  package init(format: FileFormat, stream: StreamFormat, tags: SoundFileTags = [:]) {
    self.format = format
    self.stream = stream
    self.tags = tags
  }
}
