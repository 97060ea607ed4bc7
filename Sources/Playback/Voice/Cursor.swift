/// A place in a sound, and how often the sound is still to be played from there.
struct Cursor: Hashable, Sendable {
  /// How many frames there are; of a long sound that is known for certain at its end only.
  var length: Int {
    didSet { position = min(position, length) }
  }
  /// The next frame; the length itself at the end.
  private(set) var position = 0
  /// Plays not yet ended, the one under way included; what a loop counts for one.
  var playsLeft = 0
  /// Whether the end leads to the beginning, for ever.
  var loops = false

  init(length: Int) { self.length = length }

  /// Whether nothing more would come.
  var isAtEnd: Bool { position == length && (length == 0 || !loops && playsLeft <= 1) }

  /// The frame that would be taken next.
  var place: Int { position == length ? 0 : position }

  /// Goes to a frame; past the end is the end.
  mutating func move(to frame: Int) { position = min(max(0, frame), length) }

  /// Takes the next frames that lie together, at most `limit`; nil at the end.
  ///
  /// The end of a play is gone over only when the frame after it is wanted, so a loop that is ended by
  /// then ends there.
  mutating func advance(upTo limit: Int) -> Range<Int>? {
    if isAtEnd { return nil }
    if position == length {
      position = 0
      if !loops { playsLeft -= 1 }
    }
    let end = position + min(limit, length - position)
    defer { position = end }
    return position..<end
  }
}
