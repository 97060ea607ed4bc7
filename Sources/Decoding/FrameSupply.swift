package import Audio
package import Files
package import Linux

/// A decoder at work on one file: its frames, at the rate and with the channels of an output.
///
/// A thread at a time uses it.
package protocol FrameSupply: AnyObject, Sendable {
  /// Starts to decode an open file, from a frame of the output on.
  init(
    _ file: borrowing Descriptor, _ order: DecodeOrder, from first: FrameCount
  ) throws(DecodingError)

  /// Returns what is known of the frames before the first read.
  func head() throws(DecodingError) -> DecodedHead

  /// Fills `bytes` as far as there are any, and returns their number.
  func read(into bytes: inout [UInt8]) throws(DecodingError) -> Int

  /// Throws the decoder's fault in the file, once its frames have ended.
  func finish() throws(DecodingError)

  /// Ends the decoder; its other frames are dropped.
  func abandon()
}

extension FrameSupply {
  /// Passes on the bytes of all frames that are left; throws the decoder's fault in the file, or
  /// where there are more than `most` bytes.
  package func run(
    upTo most: Int = .max, into sink: (RawSpan) throws(DecodingError) -> Void
  ) throws(DecodingError) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var total = 0
    while true {
      let count = try read(into: &bytes)
      total += count
      if total > most { throw .tooLong(bytes: most) }
      try sink(unsafe bytes.span.bytes.extracting(first: count))
      if count < bytes.count { break }
    }
    try finish()
  }
}

/// The length of decoded frames, and the format of their samples.
package struct DecodedHead: Hashable, Sendable {
  /// The format of the samples.
  package var sample: SampleFormat
  /// The number of frames that all of the file makes; nil where the file does not state it.
  package var length: FrameCount?
  /// The missing or surplus parts of the file, or nil if it is whole.
  package var flaw: SoundFlaw?

  /// The head of frames with such samples.
  package init(_ sample: SampleFormat, length: FrameCount?, flaw: SoundFlaw? = nil) {
    self.sample = sample
    self.length = length
    self.flaw = flaw
  }
}

/// The numbers that a decoder makes of the samples of a file.
package enum DecodedSamples: Sendable {
  /// Floats.
  case floats
  /// Integers of 32 bits: for a file of integers at its own rate and with its own channels, none of
  /// which changes.
  case integers
  /// Integers of 16 bits where these hold each sample exactly, and floats elsewhere.
  case smallest
}

/// A file that is to be decoded for an output.
package struct DecodeOrder: Sendable {
  /// The file's name in messages.
  package let name: String
  /// The format of the samples of a file without a header; nil reads it from the file.
  package var raw: StreamFormat?
  /// The format that the output plays.
  package let format: StreamFormat
  /// The files that are read, where this process decodes them.
  package var kinds = SoundKinds.all
  /// The numbers that are wanted.
  package var samples = DecodedSamples.floats
  /// True for the resampling of what is kept, at twice the cost of what is heard once.
  package var isPrecise = false

  /// A file called `name`, for an output of `format`.
  package init(name: String, raw: StreamFormat? = nil, format: StreamFormat) {
    self.name = name
    self.raw = raw
    self.format = format
  }

  /// The format of the decoded frames with such samples.
  package func decoded(_ sample: SampleFormat) -> StreamFormat {
    StreamFormat(rate: format.rate, channels: format.channels, sample: sample)
  }
}

/// The reason why a file was not decoded.
package enum DecodingError: Error, Hashable, Sendable {
  /// The file is not there, or holds no sound that can be read.
  case file(SoundFileError)
  /// A decoder in another process refused the file.
  case refused(SoundProblem)
  /// The decoder did not start.
  case notStarted(SystemError)
  /// The decoder could not be read from.
  case system(SystemError)
  /// Fewer frames came than the decoder announced.
  case incomplete
  /// The file does not state its length, and makes more than so many bytes.
  case tooLong(bytes: Int)
}

/// The reason why a sound file cannot be read, as a confined process reports it.
package struct SoundProblem: Hashable, Sendable {
  /// The reason without the file's name.
  package let reason: String
  /// True if other programs can be expected to decode the file.
  package let isConvertible: Bool

  /// A problem in the words of the process that found it.
  package init(_ reason: String, isConvertible: Bool = false) {
    self.reason = reason
    self.isConvertible = isConvertible
  }
}
