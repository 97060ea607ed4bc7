/// How a recording ended: both of its threads' last words.
package struct RecordingEnd: Hashable, Sendable {
  package var capture: CaptureEnd?
  package var write: WriteEnd

  package init(capture: CaptureEnd?, write: WriteEnd) {
    self.capture = capture
    self.write = write
  }
}
