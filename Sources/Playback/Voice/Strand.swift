internal import Audio
internal import RealTime

/// One run through a sound with its gains: at the voice's position, or at the one that it had before a jump.
struct Strand: Sendable {
  var cursor: Cursor
  /// The volume, with the fades that were requested.
  var volume: Gain
  /// The gain that keeps beginnings and ends within the sound from clicking.
  var envelope: Gain
  /// True if a frame of it was rendered since it began at this position.
  var isHeard = false

  init(length: Int, channels: ChannelCount) {
    cursor = Cursor(length: length)
    volume = Gain(1, channels: channels)
    envelope = Gain(1, channels: channels)
  }

  /// This strand, fading to silence.
  func fading(within frames: Int) -> Strand {
    var strand = self
    strand.envelope.move(to: 0, within: frames)
    return strand
  }

  /// Begins with a fade-in, except at the beginning of the sound, which stays as its author made it.
  mutating func begin(within frames: Int) {
    isHeard = false
    envelope.move(to: 0, within: 0)
    envelope.move(to: 1, within: cursor.position == 0 ? 0 : frames)
  }
}
