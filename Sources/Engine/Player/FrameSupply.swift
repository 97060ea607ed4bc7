internal import Audio

/// A sound that is to be decoded, for a thread of its own.
struct DecodeOrder: Sendable {
  let name: String
  let raw: StreamFormat?
  /// What comes with the program is decoded here, anything else in a child.
  let isBundled: Bool
  /// What the output plays.
  let format: StreamFormat

  /// What it is decoded to.
  var decoded: StreamFormat {
    StreamFormat(rate: format.rate, channels: format.channels, sample: .float32)
  }
}
