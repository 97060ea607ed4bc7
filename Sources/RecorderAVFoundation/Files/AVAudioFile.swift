public import Foundation
internal import RecorderKit

/// A sound file that is read or written in buffers of frames.
///
/// Other programs can read a WAV file at any time while it is written. The length in its header is
/// at most half a second too short.
open class AVAudioFile: NSObject {
  /// The location of the file.
  public let url: URL
  /// The format of the file on the disk.
  public let fileFormat: AVAudioFormat
  /// The format of the buffers that are read and written.
  public let processingFormat: AVAudioFormat
  private var reader: AudioFileReader?
  private var writer: AudioFileWriter?

  /// Opens a file for reading, as deinterleaved `Float` samples.
  public convenience init(forReading url: URL) throws {
    try self.init(forReading: url, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Opens a file for reading.
  public init(
    forReading url: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool
  ) throws {
    guard url.isFileURL else {
      throw RecorderError.invalid("“\(url)” is not a file on this machine")
    }
    let reader = try AudioFileReader(url.path)
    self.url = url
    self.reader = reader
    fileFormat = AVAudioFormat(stored: reader.format, encoding: reader.encodingID)
    processingFormat = AVAudioFormat(reader.format, as: format, interleaved: interleaved)
    super.init()
    guard format != .otherFormat else {
      throw RecorderError.invalid("the processing format must not be otherFormat")
    }
  }

  /// Creates a file for writing, from deinterleaved `Float` samples. An existing file at `url` is
  /// truncated immediately.
  public convenience init(forWriting url: URL, settings: [String: Any]) throws {
    try self.init(
      forWriting: url, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Creates a file for writing. An existing file at `url` is truncated immediately.
  public init(
    forWriting url: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat,
    interleaved: Bool
  ) throws {
    guard url.isFileURL else {
      throw RecorderError.invalid("“\(url)” is not a file on this machine")
    }
    guard format != .otherFormat else {
      throw RecorderError.invalid("the processing format must not be otherFormat")
    }
    let wish = try FileSettings(settings)
    let stored = try wish.format(endingWith: url.pathExtension)
    writer = try AudioFileWriter(creating: url.path, format: stored, replacingExisting: true)
    self.url = url
    fileFormat = AVAudioFormat(
      stored: stored, encoding: AudioFormatID(endingWith: url.pathExtension))
    processingFormat = AVAudioFormat(stored, as: format, interleaved: interleaved)
    super.init()
  }

  /// Whether the file is open.
  open var isOpen: Bool { reader != nil || writer != nil }

  /// The number of frames, or 0 if the file is closed.
  open var length: AVAudioFramePosition { reader?.length ?? writer?.length ?? 0 }

  /// The index of the next frame to read or write. In a file for writing, setting it has no effect,
  /// because frames are always appended.
  open var framePosition: AVAudioFramePosition {
    get { reader?.position ?? writer?.length ?? 0 }
    set { try? reader?.seek(to: newValue) }
  }

  /// Reads frames until the buffer is full or the file ends. At the end of the file, the length of
  /// the buffer is 0.
  open func read(into buffer: AVAudioPCMBuffer) throws {
    try read(into: buffer, frameCount: buffer.frameCapacity)
  }

  /// Reads at most `frames` frames into the buffer. At the end of the file, the length of the
  /// buffer is 0.
  open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
    guard let reader else { throw notOpen("reading") }
    try check(buffer)
    buffer.frameLength = 0
    guard let sample = processingFormat.commonFormat.sample else { throw notOpen("reading") }
    let wanted = Int(min(frames, buffer.frameCapacity))
    let frame = Int(processingFormat.channelCount) * processingFormat.commonFormat.bytes
    let step = max(1, 262_144 / frame)
    var done = 0
    while done < wanted {
      var bytes = [UInt8](repeating: 0, count: min(step, wanted - done) * frame)
      var span = bytes.mutableSpan
      var raw = unsafe span.mutableBytes
      let count = try reader.read(into: &raw, as: sample)
      if count == 0 { break }
      buffer.fill(bytes, frames: count, at: done)
      done += count
    }
    buffer.frameLength = AVAudioFrameCount(done)
  }

  /// Appends the first `frameLength` frames of the buffer.
  open func write(from buffer: AVAudioPCMBuffer) throws {
    guard let writer else { throw notOpen("writing") }
    try check(buffer)
    guard let sample = processingFormat.commonFormat.sample else { throw notOpen("writing") }
    let (total, step) = (Int(buffer.frameLength), 16_384)
    for first in Swift.stride(from: 0, to: total, by: step) {
      let bytes = buffer.interleaved(first..<min(total, first + step))
      try writer.write(unsafe bytes.span.bytes, as: sample)
    }
  }

  /// Closes the file, and returns once all of it is on the disk. A second call does nothing.
  open func close() {
    try? writer?.close()
    (reader, writer) = (nil, nil)
  }

  private func check(_ buffer: AVAudioPCMBuffer) throws(RecorderError) {
    guard buffer.format.isEqual(processingFormat) else {
      throw .format(
        "a buffer of \(buffer.format)", alternatives: ["\(processingFormat), the processingFormat"])
    }
  }

  private func notOpen(_ what: String) -> RecorderError {
    let isClosed = !isOpen
    return .file(url.path, isClosed ? "it is closed" : "it is not open for \(what)")
  }
}

extension AVAudioFormat {
  /// The in-memory format of the frames of a file.
  convenience init(_ format: AudioFormat, as common: AVAudioCommonFormat, interleaved: Bool) {
    let channels = AVAudioChannelCount(format.channelCount)
    self.init(
      common, Double(format.sampleRate), channels, interleaved: interleaved,
      layout: channels > 2 ? AVAudioChannelLayout(discrete: channels) : nil)
  }

  /// The format of a file on the disk.
  convenience init(stored format: AudioFormat, encoding: AudioFormatID) {
    let channels = AVAudioChannelCount(format.channelCount)
    let (common, bits): (AVAudioCommonFormat, Int) =
      switch format.sampleFormat {
      case .int16: (.pcmFormatInt16, 16)
      case .int24, .int24Packed: (.otherFormat, 24)
      case .int32: (.pcmFormatInt32, 32)
      case .float32: (.pcmFormatFloat32, 32)
      case .float64: (.pcmFormatFloat64, 64)
      }
    let isPlain = encoding == kAudioFormatLinearPCM
    self.init(
      isPlain ? common : .otherFormat, Double(format.sampleRate), channels, interleaved: true,
      layout: channels > 2 ? AVAudioChannelLayout(discrete: channels) : nil, encoding: encoding,
      bits: bits)
  }
}

extension AudioFormatID {
  /// The encoding of files with this filename extension.
  init(endingWith ending: String) {
    self =
      switch ending.lowercased() {
      case "flac": kAudioFormatFLAC
      case "opus": kAudioFormatOpus
      default: kAudioFormatLinearPCM
      }
  }
}

extension AudioFileReader {
  /// The Core Audio identifier of the encoding. Apple has no identifier for Vorbis, so this library
  /// uses `vorb`.
  var encodingID: AudioFormatID {
    switch (ending, encoding) {
    case ("flac", _): kAudioFormatFLAC
    case ("mp3", _): kAudioFormatMPEGLayer3
    case (_, "Opus"): kAudioFormatOpus
    case (_, "Vorbis"): 0x766F_7262
    case (_, "U-Law"): kAudioFormatULaw
    case (_, "A-Law"): kAudioFormatALaw
    case (_, let name) where name.contains("ALAC"): kAudioFormatAppleLossless
    default: kAudioFormatLinearPCM
    }
  }
}
