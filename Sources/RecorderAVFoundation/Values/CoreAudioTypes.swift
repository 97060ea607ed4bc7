// Apple's names, which begin with capitals.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A number of frames of a buffer.
public typealias AVAudioFrameCount = UInt32
/// The place of a frame in a file; counts from 0.
public typealias AVAudioFramePosition = Int64
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// The number that stands for an encoding, four letters in one.
public typealias AudioFormatID = UInt32
/// The number of an error, often four letters in one.
public typealias OSStatus = Int32

/// Samples as they are, without an encoder.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D
/// Advanced Audio Coding, which is neither recorded nor played here.
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320
/// Apple's lossless encoding, which is played from CAF; a recording into CAF keeps the samples as PCM.
public let kAudioFormatAppleLossless: AudioFormatID = 0x616C_6163
/// The Free Lossless Audio Codec.
public let kAudioFormatFLAC: AudioFormatID = 0x666C_6163
/// Opus.
public let kAudioFormatOpus: AudioFormatID = 0x6F70_7573
/// MP3, which is played and not recorded here.
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2E6D_7033
/// Logarithmic samples of American telephones.
public let kAudioFormatULaw: AudioFormatID = 0x756C_6177
/// Logarithmic samples of European telephones.
public let kAudioFormatALaw: AudioFormatID = 0x616C_6177

/// The quality of an encoder.
public enum AVAudioQuality: Int, Sendable {
  case min = 0
  case low = 0x20
  case medium = 0x40
  case high = 0x60
  case max = 0x7F
}

/// The samples of a format.
public enum AVAudioCommonFormat: UInt, Sendable {
  /// Any other format.
  case otherFormat = 0
  /// `Float`, 1 being full scale.
  case pcmFormatFloat32 = 1
  /// `Double`, 1 being full scale.
  case pcmFormatFloat64 = 2
  /// `Int16`.
  case pcmFormatInt16 = 3
  /// `Int32`.
  case pcmFormatInt32 = 4
}

/// The kind of a file, by its uniform type identifier.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
  /// The identifier.
  public let rawValue: String
  /// The kind of that identifier.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// WAV.
  public static let wav = AVFileType(rawValue: "com.microsoft.waveform-audio")
  /// MP3.
  public static let mp3 = AVFileType(rawValue: "public.mp3")
  /// MPEG-4 audio, which is not played here.
  public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
  /// AIFF.
  public static let aiff = AVFileType(rawValue: "public.aiff-audio")
  /// AIFF-C.
  public static let aifc = AVFileType(rawValue: "public.aifc-audio")
  /// Apple's Core Audio Format.
  public static let caf = AVFileType(rawValue: "com.apple.coreaudio-format")
  /// Sun's and NeXT's.
  public static let au = AVFileType(rawValue: "public.au-audio")
}

/// The kind of what a device captures.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  /// Four letters.
  public let rawValue: String
  /// The kind of those letters.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sound.
  public static let audio = AVMediaType(rawValue: "soun")
  /// Pictures, which nothing here captures.
  public static let video = AVMediaType(rawValue: "vide")
}

/// The key of the encoding in settings, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// The key of the rate in settings, in hertz.
public let AVSampleRateKey = "AVSampleRateKey"
/// The key of the number of channels in settings.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// The key of the bits of a sample in settings: 16, 24 or 32.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// The key by which settings ask for floating-point samples.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// The key by which settings ask for big-endian samples; the kind of the file decides here.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// The key by which settings tell whether each channel has samples of its own.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// The key of an encoder's quality in settings, an `AVAudioQuality`; the encoders here keep to their own.
public let AVEncoderAudioQualityKey = "AVEncoderAudioQualityKey"
/// The key of an encoder's bits a second in settings.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
/// The key of an encoder's bits a second for each channel in settings.
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"
/// The key of the bits of a sample before it is encoded.
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"
