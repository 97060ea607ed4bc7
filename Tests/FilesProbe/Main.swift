import Audio
import Files
import Glibc
import Linux

/// Writes a ramp in more than a hundred writes, with the real system calls: `files-probe FORMAT
/// SAMPLE PATH`.
///
/// A test makes those calls fail from outside. On a failure, the probe prints a message and exits
/// with 1.
@main
enum Main {
  static func main() {
    signal(SIGXFSZ, SIG_IGN)
    do {
      try record(CommandLine.arguments)
    } catch {
      print(error)
      exit(1)
    }
  }

  struct Usage: Error {}

  private static func record(_ arguments: [String]) throws {
    guard arguments.count >= 4, let format = FileFormat(rawValue: arguments[1]),
      let sample = SampleFormat(rawValue: arguments[2])
    else { throw Usage() }
    let path = arguments[3]
    if arguments.last == "endless" { return try Endless.record(format, sample, path) }
    let number = try checked("open", path) { open(path, O_RDWR | O_CREAT | O_EXCL, 0o600) }
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: sample)
    var writer = try SoundFileWriter(
      Descriptor(owning: number), named: path, SoundFileSettings(format: format, stream: stream))
    let blocks = format.isUncompressed ? 120 : 960
    // Computed once, because in a debug build the samples take as long as everything else.
    let ramp = (0..<(1_000 + blocks)).map { Int32(truncatingIfNeeded: $0 << 8) }
    for block in 0..<blocks {
      try writer.write(ramp.span.extracting(block..<(block + 1_000)).bytes, of: .int32)
      if block.isMultiple(of: blocks / 12) {
        try writer.updateHeader()
        try writer.file.synchronizeData()
      }
    }
    try writer.close(cues: [SoundFileCue(at: 100, label: "mark")])
  }
}
