internal import Foundation
internal import RecorderKit

/// The settings of a file or a recorder, read from a dictionary with values of any type.
struct FileSettings {
  var encoding = kAudioFormatLinearPCM
  var rate: Double?
  var channels: Int?
  var bits: Int?
  var isFloat = false
  var isInterleaved = true

  /// Reads the dictionary. Throws if a value is not a number, or if a value must be a whole number
  /// and is not.
  init(_ settings: [String: Any]) throws(RecorderError) {
    if let number = try Self.integer(settings, AVFormatIDKey) {
      encoding = AudioFormatID(truncatingIfNeeded: number)
    }
    rate = try Self.number(settings, AVSampleRateKey)
    channels = try Self.integer(settings, AVNumberOfChannelsKey)
    bits = try Self.integer(settings, AVLinearPCMBitDepthKey)
    isFloat = try Self.number(settings, AVLinearPCMIsFloatKey) ?? 0 != 0
    isInterleaved = try Self.number(settings, AVLinearPCMIsNonInterleaved) ?? 0 == 0
    if isFloat { bits = bits ?? 32 }
    let hint = try Self.integer(settings, AVEncoderBitDepthHintKey)
    if let hint, encoding != kAudioFormatLinearPCM { bits = hint <= 16 ? 16 : hint <= 24 ? 24 : 32 }
  }

  /// Returns the format of a file with this filename extension, with defaults for missing settings.
  /// Throws if such a file does not support the settings.
  func format(endingWith ending: String) throws(RecorderError) -> AudioFormat {
    try check(ending)
    let rate = rate ?? 44_100
    guard rate.rounded() == rate, (1...768_000).contains(rate) else {
      throw .format("a rate of \(rate) Hz", alternatives: ["1 to 768,000 Hz, a whole number"])
    }
    let channels = channels ?? 2
    guard (1...1_024).contains(channels) else {
      throw .format("\(channels) channels", alternatives: ["1 to 1,024"])
    }
    return AudioFormat(
      sampleRate: Int(rate), channelCount: channels, sampleFormat: try sample(ending))
  }

  /// Throws if this library does not write the encoding, or if the filename extension belongs to
  /// another encoding.
  private func check(_ ending: String) throws(RecorderError) {
    switch (encoding, ending.lowercased()) {
    case (kAudioFormatLinearPCM, "flac"), (kAudioFormatLinearPCM, "opus"):
      // As in Apple's recorders, the filename extension chooses the encoding in this case.
      return
    case (kAudioFormatLinearPCM, _), (kAudioFormatFLAC, "flac"), (kAudioFormatOpus, "opus"): return
    // The samples are stored as PCM, because an incomplete ALAC file cannot be completed after a
    // crash.
    case (kAudioFormatAppleLossless, "caf"): return
    case (kAudioFormatFLAC, _):
      throw .format("FLAC in a .\(ending) file", alternatives: [".flac"])
    case (kAudioFormatOpus, _):
      throw .format("Opus in a .\(ending) file", alternatives: [".opus"])
    default:
      throw .format(
        "recording \(Self.name(of: encoding))",
        alternatives: ["FLAC (.flac)", "Opus (.opus)", "PCM (.wav)"])
    }
  }

  private func sample(_ ending: String) throws(RecorderError) -> AudioFormat.SampleFormat {
    switch (bits ?? 16, isFloat) {
    case (32, true): return .float32
    case (64, true): return .float64
    case (16, false): return .int16
    case (24, false): return .int24Packed
    case (32, false): return ending.lowercased() == "flac" ? .int24Packed : .int32
    case (let bits, true):
      throw .format("floating-point samples of \(bits) bits", alternatives: ["32 bits"])
    case (let bits, false):
      throw .format("samples of \(bits) bits", alternatives: ["16", "24", "32 bits"])
    }
  }

  /// The common format of uncompressed samples: integers of 16 or 32 bits, or floats of 32 or 64
  /// bits. Any other samples have `otherFormat`.
  var commonFormat: AVAudioCommonFormat {
    guard encoding == kAudioFormatLinearPCM else { return .otherFormat }
    return switch (bits ?? 16, isFloat) {
    case (16, false): .pcmFormatInt16
    case (32, false): .pcmFormatInt32
    case (32, true): .pcmFormatFloat32
    case (64, true): .pcmFormatFloat64
    default: .otherFormat
    }
  }

  /// Returns the name of an encoding for messages.
  static func name(of encoding: AudioFormatID) -> String {
    switch encoding {
    case kAudioFormatMPEG4AAC: return "AAC"
    case kAudioFormatAppleLossless: return "ALAC"
    case kAudioFormatMPEGLayer3: return "MP3"
    case kAudioFormatULaw: return "µ-law"
    case kAudioFormatALaw: return "A-law"
    default:
      let letters = (0..<4).map { UInt8(truncatingIfNeeded: encoding >> (24 - 8 * $0)) }
      let text =
        letters.allSatisfy { (32..<127).contains($0) }
        ? String(decoding: letters, as: UTF8.self) : "\(encoding)"
      return "the encoding “\(text)”"
    }
  }

  private static func integer(_ settings: [String: Any], _ key: String) throws(RecorderError)
    -> Int?
  {
    guard let number = try number(settings, key) else { return nil }
    guard let integer = Int(exactly: number) else {
      throw .invalid("\(key) is \(number), which is not a whole number")
    }
    return integer
  }

  private static func number(_ settings: [String: Any], _ key: String) throws(RecorderError)
    -> Double?
  {
    guard let value = settings[key] else { return nil }
    if let number = number(value) { return number.doubleValue }
    throw .invalid("\(key) is “\(value)”, which is not a number")
  }

  /// Returns the number in a value of any numeric type, or nil for other values.
  static func number(_ value: Any) -> NSNumber? {
    switch value {
    case let value as NSNumber: value
    // Types that Foundation does not bridge, such as `CGFloat`.
    case let value as any BinaryFloatingPoint: NSNumber(value: Double(value))
    case let value as any BinaryInteger: NSNumber(value: Double(value))
    case let value as AVAudioQuality: NSNumber(value: value.rawValue)
    default: nil
    }
  }
}
