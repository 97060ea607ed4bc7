/// A position in a sound, and the number of plays from there.
struct Cursor: Hashable, Sendable {
  /// The number of frames; for a long sound it is certain at its end only.
  var length: Int {
    didSet { position = min(position, length) }
  }
  /// The next frame; the length itself at the end.
  private(set) var position = 0
  /// Plays not yet ended, the current one included; a loop counts as one.
  var playsLeft = 0
  /// True where the end leads to the beginning, without a limit.
  var loops = false

  init(length: Int) { self.length = length }

  /// True where no more frames follow.
  var isAtEnd: Bool { position == length && (length == 0 || !loops && playsLeft <= 1) }

  /// The frame that would be taken next.
  var place: Int { position == length ? 0 : position }

  /// Moves to a frame; a position past the end is the end.
  mutating func move(to frame: Int) { position = min(max(0, frame), length) }

  /// Takes the next frames that lie together, at most `limit`; nil at the end.
  ///
  /// The cursor passes the end of a play only for the frame after it, so a loop that a command ends meanwhile ends
  /// there.
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
