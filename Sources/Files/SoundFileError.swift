package import Audio
package import Linux

/// The reason why a sound file could not be read or written.
package enum SoundFileError: Error, Hashable, Sendable {
  /// A system call on the file failed.
  case system(SystemError)
  /// A function of libsndfile failed, with its error number and message.
  case library(function: String, subject: String, code: Int32, words: String)
  /// A function of libsndfile took less than it was given, without a reason.
  case incomplete(function: String, subject: String)
  /// A directory, a pipe or a device, where only a file can be used.
  case notRegular(subject: String)
  /// No kind of sound file that this program decodes, by its first bytes.
  case notSound(subject: String)
  /// A file of a known kind that this program does not decode, with the kind's name; others may
  /// decode it.
  case notDecoded(subject: String, kind: String, isConvertible: Bool)
  /// A file without a byte.
  case empty(subject: String)
  /// A container that this program reads, with an encoding or a structure that it does not.
  case undecodable(subject: String, container: String)
  /// The file ends too early: the bytes that it should have, where they can be known, and those
  /// that it has.
  case cutOff(subject: String, expected: Int64?, actual: Int64)
  /// Fewer frames could be decoded than the file states.
  case damaged(subject: String, expected: FrameCount, actual: FrameCount)
  /// The header states no samples, but there are some: the program that wrote it did not finish.
  case unfinished(subject: String)
  /// Samples that are not finite numbers, or far beyond full scale.
  case notFinite(subject: String)
  /// A rate too low for audible sound.
  case rateUnheard(subject: String, SampleRate)
  /// The format cannot hold such a stream.
  case unsupported(FileFormat, UnsupportedStream)
  /// Another program changed the file: its size differs from the bytes that were written.
  case sizeDiffers(subject: String, expected: Int64, actual: Int64)
  /// Not a file that this program began in that format.
  case notRepairable(subject: String)
}

extension SoundFileError: CustomStringConvertible {
  /// `sf_open_virtual "a.wav": File contains data in an unknown format.`
  package var description: String {
    switch self {
    case .system(let error): "\(error)"
    case .library(let function, let subject, _, let words): "\(function) \"\(subject)\": \(words)"
    case .incomplete(let function, let subject): "\(function) \"\(subject)\": incomplete write"
    case .notRegular(let subject): "\"\(subject)\" is not a regular file"
    case .notSound(let subject): "\"\(subject)\" is not a sound file that can be read"
    case .notDecoded(let subject, let kind, _): "\"\(subject)\" is \(kind), which is not decoded"
    case .empty(let subject): "\"\(subject)\" is empty"
    case .undecodable(let subject, let container):
      "\"\(subject)\" is \(container) with a header or an encoding that cannot be read"
    case .cutOff(let subject, _, let actual): "\"\(subject)\" is cut off after \(actual) bytes"
    case .damaged(let subject, let expected, let actual):
      "of the \(expected.value) frames of \"\(subject)\" only \(actual.value) can be decoded"
    case .unfinished(let subject): "the header of \"\(subject)\" was never finished"
    case .notFinite(let subject): "\"\(subject)\" holds samples that are no sound"
    case .rateUnheard(let subject, let rate): "\"\(subject)\" has a rate of \(rate)"
    case .unsupported(let format, let what): "\(format) cannot hold \(what)"
    case .sizeDiffers(let subject, let expected, let actual):
      "\"\(subject)\" has \(actual) bytes where \(expected) were written"
    case .notRepairable(let subject): "\"\(subject)\" does not begin as a recording of ours does"
    }
  }
}

/// The property of a stream that a file format cannot hold.
package enum UnsupportedStream: Hashable, Sendable {
  /// Its rate.
  case rate(SampleRate)
  /// Its number of channels.
  case channels(ChannelCount)
  /// Its sample format.
  case sample(SampleFormat)
}

extension UnsupportedStream: CustomStringConvertible {
  /// `44100 Hz`.
  package var description: String {
    switch self {
    case .rate(let rate): "\(rate)"
    case .channels(let channels): "\(channels)"
    case .sample(let sample): "\(sample) samples"
    }
  }
}
