internal import Audio
internal import Control
internal import Linux

/// The ages of the files of a series, measured in the frames recorded since.
///
/// The wall clock may be wrong by an hour or a year, and deleted files do not come back. So within
/// a take the time is that of its frames; the clock counts only between two takes, and an
/// implausible time between them counts as zero.
struct SeriesAges {
  /// The files, the newest first, and how long before the end of the newest each of them ended.
  let files: [(file: RecordingResult, age: Duration)]

  /// - Parameter longest: the longest plausible time between two takes.
  init(_ newestFirst: [RecordingResult], believing longest: Duration) {
    // The end of a take's next older file, by its newest file and the frames between: a clock that
    // was corrected meanwhile then counts for all of the take.
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
