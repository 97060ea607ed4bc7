package import Audio

/// Everything that decides what a new sound file looks like.
package struct SoundFileSettings: Hashable, Sendable {
  /// The container.
  package var format: FileFormat
  /// Rate, channels and how samples lie in the file.
  package var stream: StreamFormat
  /// What the file says about itself; a raw file cannot.
  package var tags: SoundFileTags
  /// FLAC's compression, 0 to 8.
  package var flacLevel = 5
  /// Opus's bits a second over all channels; nil leaves the choice to libsndfile.
  package var opusBitrate: Int?

  package init(format: FileFormat, stream: StreamFormat, tags: SoundFileTags = [:]) {
    self.format = format
    self.stream = stream
    self.tags = tags
  }
}
