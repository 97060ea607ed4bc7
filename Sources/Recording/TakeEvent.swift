package import Audio

/// Something that happened at a frame of the file.
package enum TakeEvent: Hashable, Sendable {
  case mark(String)
  case paused
  /// The recording was resumed; the number of frames that were skipped.
  case resumed(after: FrameCount)
  case gap(Gap)
}

/// An event and its place.
package struct PlacedEvent: Hashable, Sendable {
  /// The frame of the file, at the file's rate.
  package var frame: FrameCount
  /// The event itself.
  package var event: TakeEvent

  /// An event at a frame of the file.
  package init(at frame: FrameCount, _ event: TakeEvent) {
    self.frame = frame
    self.event = event
  }
}
