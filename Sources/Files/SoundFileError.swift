package import Audio
package import Linux

/// The reason why a sound file could not be read or written.
package enum SoundFileError: Error, Hashable, Sendable {
  /// A system call on the file failed.
  case system(SystemError)
  /// A function of libsndfile, libFLAC or libogg failed, with its error number and message.
  case library(function: String, subject: String, code: Int32, words: String)
  /// A function of libsndfile wrote fewer samples than it was given, and reported no reason.
  case incomplete(function: String, subject: String)
  /// The file is a directory, a pipe or a device. Only a regular file can be used.
  case notRegular(subject: String)
  /// The first bytes do not belong to a sound file that this program decodes.
  case notSound(subject: String)
  /// The file is of a known kind that this program does not decode. If `isConvertible` is true,
  /// other programs may decode the file.
  case notDecoded(subject: String, kind: String, isConvertible: Bool)
  /// The file is empty.
  case empty(subject: String)
  /// This program reads the container, but does not support the encoding or structure of the file.
  case undecodable(subject: String, container: String)
  /// The file ends too early. The sizes are in bytes; `expected` is nil if it is unknown.
  case cutOff(subject: String, expected: Int64?, actual: Int64)
  /// Fewer frames could be decoded than the file states.
  case damaged(subject: String, expected: FrameCount, actual: FrameCount)
  /// The header states that there are no samples, but the file contains samples. The program that
  /// wrote the file did not complete the header.
  case unfinished(subject: String)
  /// The samples are not finite numbers, or they are far beyond full scale.
  case notFinite(subject: String)
  /// The rate is too low for audible sound.
  case rateUnheard(subject: String, SampleRate)
  /// The format cannot store a stream with this property.
  case unsupported(FileFormat, UnsupportedStream)
  /// Another program changed the file: its size differs from the number of bytes that were written.
  case sizeDiffers(subject: String, expected: Int64, actual: Int64)
  /// The file cannot be repaired or completed because of this obstacle.
  case notRepairable(subject: String, RepairObstacle)

  /// Runs a system call on a file, and throws its error as `system`.
  package static func of<Result: ~Copyable>(
    _ call: @autoclosure () throws(SystemError) -> Result
  ) throws(SoundFileError) -> Result {
    try mapError(SoundFileError.system, call())
  }
}

extension SoundFileError: CustomStringConvertible {
  /// The error as text, such as `"a.wav": File contains data in an unknown format.`
  package var description: String {
    switch self {
    case .system(let error): "\(error)"
    case .library(_, let subject, _, let words): "\"\(subject)\": \(words)"
    case .incomplete(_, let subject): "cannot write \"\(subject)\" completely"
    case .notRegular(let subject): "\"\(subject)\" is not a regular file"
    case .notSound(let subject), .notDecoded(let subject, _, _), .empty(let subject),
      .undecodable(let subject, _), .cutOff(let subject, _, _), .damaged(let subject, _, _),
      .unfinished(let subject), .notFinite(let subject), .rateUnheard(let subject, _),
      .notRepairable(let subject, _):
      "\"\(subject)\": \(reason)"
    case .unsupported(let format, let what): "\(format) cannot store \(what)"
    case .sizeDiffers(let subject, let expected, let actual):
      "\"\(subject)\" has \(counted(Int(actual), "byte")), but \(expected) were written"
    }
  }
}

extension SoundFileError {
  /// The reason without the name of the file, as a part of a sentence.
  package var reason: String {
    switch self {
    case .system(let cause): "\(cause.errno)"
    case .library(_, _, _, let words): words
    case .incomplete: "it could not be written completely"
    case .notRegular: "it is not a regular file"
    case .notDecoded(_, let kind, false): "it is \(kind), not a sound"
    case .notDecoded(_, let kind, true): "it is \(kind), which recorder cannot decode"
    case .empty: "it is empty"
    case .undecodable(_, let container):
      "it is \(container), but its header or encoding cannot be read"
    case .cutOff(_, let expected?, let actual) where expected < .max:
      "it is cut short: it has \(actual) of \(counted(Int(expected), "byte"))"
    case .cutOff: "it is cut short"
    case .damaged(_, let expected, let actual):
      "it is damaged: \(actual.value) of \(counted(Int(expected.value), "frame")) can be decoded"
    case .unfinished: "its header is incomplete"
    case .notFinite: "it contains invalid samples"
    case .rateUnheard(_, let rate): "unsupported sample rate \(rate)"
    case .unsupported(let format, let what): "\(format) cannot store \(what)"
    case .sizeDiffers(_, let expected, let actual):
      "another program changed it: it has \(counted(Int(actual), "byte")) instead of \(expected)"
    case .notSound: "it is not a sound file of a known format"
    case .notRepairable(_, let obstacle): "\(obstacle)"
    }
  }
}

/// The reason why a file cannot be repaired or completed.
package enum RepairObstacle: Hashable, Sendable {
  /// The header differs from the header that this program writes in the expected format.
  case foreignHeader
  /// The file comes from another program, and is not WAV.
  case notWave
  /// The WAV file is too large for the sizes in its header, and cannot become RF64.
  case tooLarge
  /// The sizes in the WAV file are right, but its compressed audio ends within a frame.
  case flawInside
  /// The numbers in the plan for the repair do not fit the file.
  case unfitPlan
  /// The comments of the file have no placeholder of the right size for the marks.
  case noPlaceholder
}

extension RepairObstacle: CustomStringConvertible {
  /// The obstacle as a part of a sentence.
  package var description: String {
    switch self {
    case .foreignHeader: "it does not have the header of a file that recorder writes"
    case .notWave: "only WAV files can be repaired"
    case .tooLarge: "it is too large for the size fields of its WAV header"
    case .flawInside: "the sizes in its header are right, but its compressed audio ends early"
    case .unfitPlan: "the repair plan does not match the size of the file"
    case .noPlaceholder: "it has no space for the marks"
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
  /// The property as text, such as `44100 Hz`.
  package var description: String {
    switch self {
    case .rate(let rate): "\(rate)"
    case .channels(let channels): "\(channels)"
    case .sample(let sample): "\(sample) samples"
    }
  }
}
