package import Audio
internal import Files
package import Linux

/// A decoder for one file. It delivers frames at the rate and with the channels of an output.
///
/// Only one thread at a time may use it.
package protocol FrameSupply: AnyObject, Sendable {
  /// Returns the properties of the frames that are known before the first read.
  func head() throws -> DecodedHead

  /// Fills `bytes`, and returns the number of bytes. The number is lower than the length of `bytes`
  /// only at the end of the sound.
  func read(into bytes: inout [UInt8]) throws -> Int

  /// Throws if the decoder found an error in the file. Call it after the last frame.
  func finish() throws

  /// Stops the decoder and drops its remaining frames.
  func abandon()
}

/// A function that starts to decode an open file, beginning at frame `first` of the output.
package typealias DecoderStart =
  @Sendable (_ file: borrowing Descriptor, _ order: DecodeOrder, _ first: FrameCount) throws ->
  any FrameSupply

extension FrameSupply {
  /// Passes the bytes of all remaining frames to `sink`. Throws if the decoder found an error in
  /// the file. Throws `tooLong` if there are more than `most` bytes.
  package func run(upTo most: Int = .max, into sink: (RawSpan) throws -> Void) throws {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var total = 0
    while true {
      let count = try read(into: &bytes)
      total += count
      if total > most { throw DecodingError.tooLong(bytes: most) }
      try sink(unsafe bytes.span.bytes.extracting(first: count))
      if count < bytes.count { break }
    }
    try finish()
  }
}

/// The reason why a file was not decoded completely. A decoder can also throw a `SoundFileError` or
/// a `SoundProblem`, or a `SystemError` if it cannot be started or its output cannot be read.
package enum DecodingError: Error, Hashable, Sendable {
  /// The decoder delivered fewer frames than it announced.
  case incomplete
  /// The file does not state its length, and the decoded sound has more than this number of bytes.
  case tooLong(bytes: Int)
}

extension DecodingError: CustomStringConvertible {
  /// The reason as a sentence about the file.
  package var description: String {
    switch self {
    case .incomplete: "it is incomplete"
    case .tooLong(let bytes):
      "the file does not state its length, and its audio is larger than \(bytes >> 20) MiB"
    }
  }
}

/// The reason why a sound file cannot be read, as a confined process reports it.
package struct SoundProblem: Error, Hashable, Sendable {
  /// The reason without the file's name.
  package let reason: String
  /// Whether other programs can probably decode the file.
  package let isConvertible: Bool
  /// Whether the format is unknown. A file of an unknown format may consist of raw samples.
  package let isUnknown: Bool

  /// A problem with the reason that the process reported.
  package init(_ reason: String, isConvertible: Bool = false, isUnknown: Bool = false) {
    self.reason = reason
    self.isConvertible = isConvertible
    self.isUnknown = isUnknown
  }
}
