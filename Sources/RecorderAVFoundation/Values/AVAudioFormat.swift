public import Foundation
internal import RecorderKit

/// The rate, the channels and the sample format of sound.
open class AVAudioFormat: NSObject, @unchecked Sendable {
  // Unchecked: nothing changes after initialization, and subclasses add only behaviour.

  /// The sample format.
  public let commonFormat: AVAudioCommonFormat
  /// The number of frames per second.
  public let sampleRate: Double
  /// The number of channels.
  public let channelCount: AVAudioChannelCount
  /// Whether the samples of a frame follow each other in memory.
  public let isInterleaved: Bool
  /// The layout of the channels, or nil if none was given. One or two channels need no layout.
  public let channelLayout: AVAudioChannelLayout?
  let encoding: AudioFormatID
  let bits: Int

  init(
    _ commonFormat: AVAudioCommonFormat, _ sampleRate: Double, _ channels: AVAudioChannelCount,
    interleaved: Bool, layout: AVAudioChannelLayout?,
    encoding: AudioFormatID = kAudioFormatLinearPCM, bits: Int? = nil
  ) {
    self.commonFormat = commonFormat
    self.sampleRate = sampleRate
    channelCount = channels
    isInterleaved = interleaved
    channelLayout = layout
    self.encoding = encoding
    self.bits = bits ?? commonFormat.bytes * 8
  }

  /// Creates a format of deinterleaved `Float` samples. Returns nil if the rate is not positive, or
  /// if the number of channels is not 1 or 2. More channels need a layout.
  public convenience init?(
    standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount
  ) {
    self.init(
      commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels,
      interleaved: false)
  }

  /// Creates a format of deinterleaved `Float` samples with a channel layout.
  public convenience init(
    standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout
  ) {
    self.init(
      commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false,
      channelLayout: layout)
  }

  /// Creates a format with one of the common sample formats. Returns nil if the rate is not
  /// positive, or if the number of channels is not 1 or 2. More channels need a layout.
  public convenience init?(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount,
    interleaved: Bool
  ) {
    guard format != .otherFormat, sampleRate > 0, sampleRate.isFinite, (1...2).contains(channels)
    else { return nil }
    self.init(format, sampleRate, channels, interleaved: interleaved, layout: nil)
  }

  /// Creates a format with one of the common sample formats, and a channel layout.
  public convenience init(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
    channelLayout layout: AVAudioChannelLayout
  ) {
    self.init(format, sampleRate, layout.channelCount, interleaved: interleaved, layout: layout)
  }

  /// Creates a format from settings such as those of a recorder. Returns nil if the settings
  /// describe no format.
  public convenience init?(settings: [String: Any]) {
    guard let wish = try? FileSettings(settings) else { return nil }
    let channels = AVAudioChannelCount(clamping: wish.channels ?? 2)
    guard let rate = wish.rate, rate > 0, rate.isFinite, (1...1_024).contains(channels) else {
      return nil
    }
    self.init(
      wish.commonFormat, rate, channels, interleaved: wish.isInterleaved,
      layout: channels > 2 ? AVAudioChannelLayout(discrete: channels) : nil,
      encoding: wish.encoding, bits: wish.bits)
  }

  /// Whether the samples are deinterleaved `Float`.
  open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

  /// The format as settings for a file or a recorder.
  ///
  /// Each number is an `NSNumber`: `as?` converts it to `Int`, `UInt32`, `Double` and any other
  /// type that can hold its value. On Linux, `as? CGFloat` always returns nil.
  open var settings: [String: Any] {
    var settings: [String: NSNumber] = [
      AVFormatIDKey: NSNumber(value: encoding), AVSampleRateKey: NSNumber(value: sampleRate),
      AVNumberOfChannelsKey: NSNumber(value: channelCount),
    ]
    guard encoding == kAudioFormatLinearPCM else { return settings }
    settings[AVLinearPCMBitDepthKey] = NSNumber(value: bits)
    settings[AVLinearPCMIsFloatKey] = NSNumber(value: commonFormat.isFloat)
    settings[AVLinearPCMIsBigEndianKey] = NSNumber(value: false)
    settings[AVLinearPCMIsNonInterleaved] = NSNumber(value: !isInterleaved)
    return settings
  }

  /// Compares all properties. For one channel, interleaved and deinterleaved samples count as
  /// equal.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioFormat else { return false }
    return commonFormat == other.commonFormat && sampleRate == other.sampleRate
      && channelCount == other.channelCount && encoding == other.encoding && bits == other.bits
      && (channelCount == 1 || isInterleaved == other.isInterleaved)
      && channelLayout == other.channelLayout
  }

  /// A hash of the properties that are always the same in equal formats.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(commonFormat)
    hasher.combine(sampleRate)
    hasher.combine(channelCount)
    return hasher.finalize()
  }

  /// A text such as `2 ch, 48000.0 Hz, Float32, deinterleaved`.
  open override var description: String {
    let order = isInterleaved ? "interleaved" : "deinterleaved"
    return "\(channelCount) ch, \(sampleRate) Hz, \(commonFormat.name), \(order)"
  }
}

/// The layout of channels, given by a Core Audio tag.
open class AVAudioChannelLayout: NSObject, @unchecked Sendable {
  // Unchecked: nothing changes after initialization.

  /// The Core Audio tag. Its lower 16 bits are the number of channels.
  public let layoutTag: UInt32

  /// Creates the layout for a tag. Returns nil if the tag has no channels.
  public init?(layoutTag: UInt32) {
    guard layoutTag & 0xFFFF > 0 else { return nil }
    self.layoutTag = layoutTag
  }

  init(discrete channels: AVAudioChannelCount) { layoutTag = 147 << 16 | channels & 0xFFFF }

  /// The number of channels.
  open var channelCount: AVAudioChannelCount { layoutTag & 0xFFFF }

  /// Compares the tags.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? AVAudioChannelLayout)?.layoutTag == layoutTag
  }

  /// The tag.
  open override var hash: Int { Int(layoutTag) }
}

extension AVAudioCommonFormat {
  /// The size of a sample in bytes; 0 for `otherFormat`.
  var bytes: Int {
    switch self {
    case .otherFormat: 0
    case .pcmFormatInt16: 2
    case .pcmFormatFloat32, .pcmFormatInt32: 4
    case .pcmFormatFloat64: 8
    }
  }

  var isFloat: Bool { self == .pcmFormatFloat32 || self == .pcmFormatFloat64 }

  fileprivate var name: String {
    self == .otherFormat ? "other" : "\(isFloat ? "Float" : "Int")\(bytes * 8)"
  }

  /// The library's sample format, or nil for `otherFormat`.
  var sample: AudioFormat.SampleFormat? {
    switch self {
    case .otherFormat: nil
    case .pcmFormatFloat32: .float32
    case .pcmFormatFloat64: .float64
    case .pcmFormatInt16: .int16
    case .pcmFormatInt32: .int32
    }
  }
}
