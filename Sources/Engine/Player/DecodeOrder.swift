internal import Audio
internal import CommandLine
internal import Files
internal import Linux
internal import Playback

/// A sound that is to be decoded, for a thread of its own.
struct DecodeOrder: Sendable {
  let name: String
  let raw: StreamFormat?
  /// What comes with the program is decoded here, anything else in a child.
  let isBundled: Bool
  let format: StreamFormat

  /// The most memory that one sound may take.
  private static let most = 256 << 20

  /// Decodes all of the file.
  func decode(_ file: consuming Descriptor) throws(Failure) -> Sound {
    var bytes: [UInt8] = []
    if isBundled {
      try decodeHere(file, into: &bytes)
    } else {
      try ForeignDecoder(file, named: name, raw: raw, for: format).run { more in
        bytes += more
        return bytes.count <= Self.most
      }
    }
    guard bytes.count <= Self.most else { throw tooLong }
    let stream = StreamFormat(rate: format.rate, channels: format.channels, sample: .float32)
    return Sound(unsafe bytes.span.bytes, format: stream)
  }

  private func decodeHere(
    _ file: consuming Descriptor, into bytes: inout [UInt8]
  ) throws(Failure) {
    do throws(SoundFileError) {
      try SoundDecoding.run(file, named: name, raw: raw, for: format) {
        samples throws(SoundFileError) in
        unsafe samples.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      }
    } catch {
      throw Failure(reading: name, error)
    }
  }

  private var tooLong: Failure {
    let second = format.rate.hertz * format.channels.value * 4
    return Failure(
      .notASound,
      Message(
        "cannot play", on: name,
        why: "it is longer than the \(Self.most / second / 60) minutes that fit into memory"))
  }
}
