/// The end of a recording: the last reports of both of its threads.
package struct RecordingEnd: Hashable, Sendable {
  /// The end of the capture; nil where the writer ended first.
  package var capture: CaptureEnd?
  /// The reason that the writing ended.
  package var write: WriteEnd

  /// The reports of the two threads.
  package init(capture: CaptureEnd?, write: WriteEnd) {
    self.capture = capture
    self.write = write
  }
}
