internal import Audio
internal import RealTime

/// One run through a sound with the gains that it has: where a voice is, or where it was a moment ago.
struct Strand: Sendable {
  var cursor: Cursor
  /// The volume, with the fades that somebody asked for.
  var volume: Gain
  /// What keeps beginnings and ends within the sound from clicking.
  var envelope: Gain
  /// Whether a frame of it was made since it began here.
  var isHeard = false

  init(length: Int, channels: ChannelCount) {
    cursor = Cursor(length: length)
    volume = Gain(1, channels: channels)
    envelope = Gain(1, channels: channels)
  }

  /// This strand on its way to silence.
  func fading(within frames: Int) -> Strand {
    var strand = self
    strand.envelope.move(to: 0, within: frames)
    return strand
  }

  /// Makes it begin softly, where that is not the beginning of the sound, which is as its author made it.
  mutating func begin(within frames: Int) {
    isHeard = false
    envelope.move(to: 0, within: 0)
    envelope.move(to: 1, within: cursor.position == 0 ? 0 : frames)
  }
}
