import Audio
import Files
import Glibc
import Linux

/// Writes a ramp until it is killed: `files-probe FORMAT SAMPLE PATH endless`.
///
/// Before each block of 10 ms it writes to standard output, in 8 bytes, the number of frames given
/// to the writer, including that block.
enum Endless {
  static func record(_ format: FileFormat, _ sample: SampleFormat, _ path: String) throws {
    let number = try checked("open", path) { open(path, O_RDWR | O_CREAT | O_EXCL, 0o600) }
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: sample)
    var writer = try SoundFileWriter(
      Descriptor(owning: number), named: path, SoundFileSettings(format: format, stream: stream))
    let shift = 32 - Int32(sample.significantBits)
    for block in 0... {
      var given = Int64(block + 1) * 480
      guard write(STDOUT_FILENO, &given, 8) == 8 else { return }
      let samples = (0..<960).map { Int32(truncatingIfNeeded: block * 960 + $0) << shift }
      try writer.write(samples.span.bytes, of: .int32)
    }
  }
}
