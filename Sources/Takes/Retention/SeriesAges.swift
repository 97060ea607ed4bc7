internal import Audio
internal import Control
internal import Linux

/// How long ago the files of a series ended, by what was recorded since.
///
/// The clock on the wall may be wrong for an hour or a year, and files that are deleted do not come back. So
/// within a take the time is that of its frames; only between two takes the clock is asked, and where
/// it says what hardly can be, the time between them counts as none.
struct SeriesAges {
  /// The files, the newest first, and how long before the end of the newest each of them ended.
  let files: [(file: RecordingResult, age: Duration)]

  /// - Parameter longest: how long a series may have rested between two takes, to be believed.
  init(_ newestFirst: [RecordingResult], believing longest: Duration) {
    // When a take's next older file ended, by its newest file and the frames between: a clock that was set right
    // meanwhile then counts for all of the take.
    var ends: [String: Duration] = [:]
    var newer: (end: Duration, length: Duration)?
    var age = Duration.zero
    files = newestFirst.map { file in
      let length = file.frames.elapsed.duration(at: file.stream.rate)
      let end = ends[file.identifier] ?? file.began + length
      ends[file.identifier] = end - length
      if let newer {
        let step = newer.end - end
        age += step > newer.length + longest ? newer.length : max(.zero, step)
      }
      newer = (end, length)
      return (file, age)
    }
  }
}
