public import Foundation

/// Sound in memory, with its format.
open class AVAudioBuffer: NSObject, NSCopying, NSMutableCopying {
  /// The format of the samples.
  public let format: AVAudioFormat

  init(_ format: AVAudioFormat) { self.format = format }

  /// Returns a new buffer with the same contents, as `copy()` does.
  open func copy(with zone: NSZone? = nil) -> Any { AVAudioBuffer(format) }

  /// Returns the same as `copy`.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { copy(with: zone) }
}

/// Samples in memory that are read and written through pointers.
@safe open class AVAudioPCMBuffer: AVAudioBuffer {
  /// The maximum number of frames.
  public let frameCapacity: AVAudioFrameCount
  /// The memory of all channels, either one channel after the other or with interleaved samples.
  private let memory: UnsafeMutableRawPointer
  /// The size of the memory in bytes.
  private let size: Int
  /// The address of the first sample of each channel.
  private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private var length: AVAudioFrameCount = 0

  /// Creates a buffer of silence.
  ///
  /// Returns nil if the format is not one of the common PCM formats, or if the size in bytes does
  /// not fit into 32 bits. For interleaved samples this is the size of all channels together,
  /// otherwise the size of one channel.
  public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
    let (count, bytes) = (Int(format.channelCount), format.commonFormat.bytes)
    let interleaved = format.isInterleaved ? count : 1
    guard bytes > 0, count > 0, format.encoding == kAudioFormatLinearPCM,
      Int(frameCapacity) * bytes * interleaved <= Int(UInt32.max)
    else { return nil }
    self.frameCapacity = frameCapacity
    size = Int(frameCapacity) * bytes * count
    unsafe memory = .allocate(byteCount: Swift.max(1, size), alignment: 16)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    unsafe channels = .allocate(capacity: count)
    let step = format.isInterleaved ? bytes : bytes * Int(frameCapacity)
    for channel in 0..<count { unsafe (channels + channel).initialize(to: memory + channel * step) }
    super.init(format)
  }

  deinit {
    unsafe channels.deallocate()
    unsafe memory.deallocate()
  }

  /// Returns a buffer with the same capacity, length and samples.
  open override func copy(with zone: NSZone? = nil) -> Any {
    guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
      preconditionFailure("a format that has one buffer cannot have another")
    }
    unsafe copy.memory.copyMemory(from: memory, byteCount: size)
    copy.length = length
    return copy
  }

  /// The number of valid frames. A value beyond the capacity is a fatal error.
  open var frameLength: AVAudioFrameCount {
    get { length }
    set {
      precondition(
        newValue <= frameCapacity,
        "frameLength \(newValue) is beyond frameCapacity \(frameCapacity)")
      length = newValue
    }
  }

  /// The distance between two samples of a channel: the number of channels if the buffer is
  /// interleaved, otherwise 1.
  open var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

  /// The samples of each channel, or nil if they are not `Float`.
  open var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
    unsafe pointers(.pcmFormatFloat32)
  }

  /// The samples of each channel, or nil if they are not `Int16`.
  open var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? {
    unsafe pointers(.pcmFormatInt16)
  }

  /// The samples of each channel, or nil if they are not `Int32`.
  open var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? {
    unsafe pointers(.pcmFormatInt32)
  }

  private func pointers<Sample>(
    _ wanted: AVAudioCommonFormat
  ) -> UnsafePointer<UnsafeMutablePointer<Sample>>? {
    guard format.commonFormat == wanted else { return nil }
    return unsafe UnsafeRawPointer(channels).assumingMemoryBound(
      to: UnsafeMutablePointer<Sample>.self)
  }
}

extension AVAudioPCMBuffer {
  private var bytesPerSample: Int { format.commonFormat.bytes }

  /// Returns a copy of the frames. The copy is always interleaved.
  func interleaved(_ frames: Range<Int>) -> [UInt8] {
    let (count, size) = (Int(format.channelCount), bytesPerSample)
    var bytes = [UInt8](repeating: 0, count: frames.count * count * size)
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe each(frames) { offset, source in
        unsafe (bytes.baseAddress?.advanced(by: offset))?.copyMemory(from: source, byteCount: size)
      }
    }
    return bytes
  }

  /// Copies interleaved frames into the buffer, starting at frame `first`.
  func fill(_ bytes: [UInt8], frames: Int, at first: Int) {
    let size = bytesPerSample
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe each(first..<first + frames) { offset, target in
        guard let source = bytes.baseAddress else { return }
        unsafe target.copyMemory(from: source + offset, byteCount: size)
      }
    }
  }

  /// Calls `body` for each sample, with its byte offset in an interleaved copy and its address in
  /// this buffer.
  private func each(_ frames: Range<Int>, _ body: (Int, UnsafeMutableRawPointer) -> Void) {
    let (count, size) = (Int(format.channelCount), bytesPerSample)
    let step = stride * size
    for channel in 0..<count {
      var address = unsafe channels[channel] + frames.lowerBound * step
      var offset = channel * size
      for _ in 0..<frames.count {
        unsafe body(offset, address)
        unsafe address += step
        offset += count * size
      }
    }
  }
}
