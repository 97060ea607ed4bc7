package import Audio
internal import JSON

/// The totals of a take that was written into several files.
package struct TakeTotal: Hashable, Sendable {
  /// The number of files.
  package var files: Int
  /// The frames of all files together.
  package var frames: Accounting

  /// The totals of so many files.
  package init(files: Int, frames: Accounting) {
    self.files = files
    self.frames = frames
  }

  /// Replaces the frames of one file, which was found to hold others.
  package mutating func exchange(_ old: Accounting, for new: Accounting) {
    frames.captured += new.captured - old.captured
    frames.lost += new.lost - old.lost
    frames.discarded += new.discarded - old.discarded
    frames.filled += new.filled - old.filled
  }
}

extension TakeTotal {
  init?(json: JSONValue, at rate: SampleRate) {
    guard let files = json["files"]?.integer(in: 1...Int.max),
      let frames = json["frames"].flatMap(Accounting.init(json:))
    else { return nil }
    self.init(files: files, frames: frames)
  }

  func json(at rate: SampleRate) -> JSONValue {
    [
      "files": files.json, "duration": frames.onDisk.duration(at: rate).json,
      "frames": frames.json,
    ]
  }
}
