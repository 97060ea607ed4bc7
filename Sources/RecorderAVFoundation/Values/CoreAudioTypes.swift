// The file has Apple's names, which begin with capital letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A number of frames in a buffer.
public typealias AVAudioFrameCount = UInt32
/// The index of a frame in a file, counted from 0.
public typealias AVAudioFramePosition = Int64
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// The identifier of an encoding: a four-character code.
public typealias AudioFormatID = UInt32
/// An error code, often a four-character code.
public typealias OSStatus = Int32

/// Uncompressed PCM samples.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D
/// Advanced Audio Coding, which this library neither records nor plays.
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320
/// Apple's lossless codec. It is played from CAF; a recording into CAF stores the samples as PCM.
public let kAudioFormatAppleLossless: AudioFormatID = 0x616C_6163
/// The Free Lossless Audio Codec.
public let kAudioFormatFLAC: AudioFormatID = 0x666C_6163
/// Opus.
public let kAudioFormatOpus: AudioFormatID = 0x6F70_7573
/// MP3, which this library plays but does not record.
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2E6D_7033
/// µ-law: logarithmic samples, used in American telephony.
public let kAudioFormatULaw: AudioFormatID = 0x756C_6177
/// A-law: logarithmic samples, used in European telephony.
public let kAudioFormatALaw: AudioFormatID = 0x616C_6177

/// The quality of an encoder.
public enum AVAudioQuality: Int, Sendable {
  case min = 0
  case low = 0x20
  case medium = 0x40
  case high = 0x60
  case max = 0x7F
}

/// The sample format.
public enum AVAudioCommonFormat: UInt, Sendable {
  /// Any other format.
  case otherFormat = 0
  /// `Float`; full scale is 1.
  case pcmFormatFloat32 = 1
  /// `Double`; full scale is 1.
  case pcmFormatFloat64 = 2
  /// `Int16`.
  case pcmFormatInt16 = 3
  /// `Int32`.
  case pcmFormatInt32 = 4
}

/// A file type, given by its uniform type identifier.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
  /// The identifier.
  public let rawValue: String
  /// The file type with this identifier.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// WAV.
  public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
  /// MP3.
  public static let mp3 = AVFileType(rawValue: "public.mp3")
  /// MPEG-4 audio, which this library does not play.
  public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
  /// AIFF.
  public static let aiff = AVFileType(rawValue: "public.aiff-audio")
  /// AIFF-C.
  public static let aifc = AVFileType(rawValue: "public.aifc-audio")
  /// Apple's Core Audio Format.
  public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
  /// AU, the format of Sun and NeXT.
  public static let au = AVFileType(rawValue: "public.au-audio")
}

/// A type of captured media.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public let rawValue: String
  /// The media type with this code.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sound.
  public static let audio = AVMediaType(rawValue: "soun")
  /// Video, which this library does not capture.
  public static let video = AVMediaType(rawValue: "vide")
}

/// The settings key of the encoding, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// The settings key of the rate, in hertz.
public let AVSampleRateKey = "AVSampleRateKey"
/// The settings key of the number of channels.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// The settings key of the bits per sample: 16, 24 or 32.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// The settings key for floating-point samples.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// The settings key for big-endian samples. It has no effect here, because the file format
/// determines the order of the bytes.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// The settings key for deinterleaved samples.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// The settings key of the encoder's quality, an `AVAudioQuality`. It has no effect here.
public let AVEncoderAudioQualityKey = "AVEncoderAudioQualityKey"
/// The settings key of the encoder's bit rate, in bits per second. It has no effect here.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
/// The settings key of the encoder's bit rate for each channel, in bits per second. It has no
/// effect here.
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"
/// The settings key of the bits per sample before encoding.
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"
