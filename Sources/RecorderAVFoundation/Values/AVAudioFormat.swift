public import Foundation
internal import RecorderKit

/// The rate, the channels and the samples of sound.
open class AVAudioFormat: NSObject, @unchecked Sendable {
  // Unchecked: nothing changes after the initialiser, and subclasses add behaviour alone.

  /// The samples.
  public let commonFormat: AVAudioCommonFormat
  /// Frames a second.
  public let sampleRate: Double
  /// Samples a frame.
  public let channelCount: AVAudioChannelCount
  /// True where the samples of a frame lie one after the other.
  public let isInterleaved: Bool
  /// The places of the channels; nil where one or two have the usual ones.
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

  /// `Float` samples, each channel by itself; nil for more than two channels, which need a layout.
  public convenience init?(
    standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount
  ) {
    self.init(
      commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels,
      interleaved: false)
  }

  /// `Float` samples, each channel by itself.
  public convenience init(
    standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout
  ) {
    self.init(
      commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false,
      channelLayout: layout)
  }

  /// Samples of a usual kind; nil for a rate that is not positive, and for no channel or more than two, which need
  /// a layout.
  public convenience init?(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount,
    interleaved: Bool
  ) {
    guard format != .otherFormat, sampleRate > 0, sampleRate.isFinite, (1...2).contains(channels)
    else { return nil }
    self.init(format, sampleRate, channels, interleaved: interleaved, layout: nil)
  }

  /// Samples of a usual kind, with a place for each channel.
  public convenience init(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool,
    channelLayout layout: AVAudioChannelLayout
  ) {
    self.init(
      format, sampleRate, layout.channelCount, interleaved: interleaved, layout: layout)
  }

  /// The format of settings such as those of a recorder; nil where they name none.
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

  /// True for `Float` samples of which each channel lies by itself.
  open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

  /// The format as settings for a file or a recorder.
  ///
  /// Each number is an `NSNumber`: `as?` converts it to `Int`, `UInt32`, `Double` and any other type that holds its value.
  /// On Linux `as? CGFloat` is always nil.
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

  /// Compares everything; the order of the samples of a single channel is the same both ways.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioFormat else { return false }
    return commonFormat == other.commonFormat && sampleRate == other.sampleRate
      && channelCount == other.channelCount && encoding == other.encoding && bits == other.bits
      && (channelCount == 1 || isInterleaved == other.isInterleaved)
      && channelLayout == other.channelLayout
  }

  /// The hash of what `isEqual` compares always.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(commonFormat)
    hasher.combine(sampleRate)
    hasher.combine(channelCount)
    return hasher.finalize()
  }

  /// `2 ch, 48000 Hz, Float32, deinterleaved`.
  open override var description: String {
    let order = isInterleaved ? "interleaved" : "deinterleaved"
    return "\(channelCount) ch, \(sampleRate) Hz, \(commonFormat.name), \(order)"
  }
}

/// The places of channels, by a tag of Core Audio.
open class AVAudioChannelLayout: NSObject, @unchecked Sendable {
  // Unchecked: nothing changes after the initialiser.

  /// The tag; its lower half is the number of channels.
  public let layoutTag: UInt32

  /// The layout of a tag; nil where the tag has no channels.
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
  /// The bytes of a sample; 0 for an encoding.
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
    switch self {
    case .otherFormat: "other"
    case .pcmFormatFloat32: "Float32"
    case .pcmFormatFloat64: "Float64"
    case .pcmFormatInt16: "Int16"
    case .pcmFormatInt32: "Int32"
    }
  }

  /// The library's name of the samples; nil for an encoding.
  var sample: AudioFormat.Sample? {
    switch self {
    case .otherFormat: nil
    case .pcmFormatFloat32: .float32
    case .pcmFormatFloat64: .float64
    case .pcmFormatInt16: .int16
    case .pcmFormatInt32: .int32
    }
  }
}
