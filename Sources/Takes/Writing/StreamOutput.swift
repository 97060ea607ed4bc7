package import Audio
internal import Files
internal import Linux
internal import Recording
internal import Synchronization

/// A take that is written directly to the standard output and is not stored.
package struct StreamOutput: TakeFile, ~Copyable {
  typealias Failure = SystemError

  /// The state of the process that reads the output. It shows whether that process has closed the
  /// pipe. The recording does not show this: it reports a failed write only as text.
  package final class Reader: Sendable {
    private let left = Atomic<Bool>(false)
    private let bytes = Atomic<Int>(0)
    private let bytesPerFrame: Int

    init(bytesPerFrame: Int) { self.bytesPerFrame = bytesPerFrame }

    /// The number of whole frames that were written to the pipe.
    package var delivered: FrameCount { FrameCount(bytes.load(ordering: .relaxed) / bytesPerFrame) }

    func take(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    /// Whether the reader has closed the pipe.
    package var hasLeft: Bool { left.load(ordering: .relaxed) }

    func leave() { left.store(true, ordering: .relaxed) }
  }

  let stream: StreamFormat
  let reader: Reader
  private let output: Descriptor
  private(set) var bytesWritten: Int64 = 0
  private var header: [UInt8]
  private let wave: StreamedWave?

  /// A stream of samples. If the format is WAV, it begins with the header of an endless file.
  init(to output: consuming Descriptor, _ stream: StreamFormat, as format: FileFormat) {
    wave = StreamedWave(in: output, stream, as: format)
    self.output = output
    self.stream = stream
    reader = Reader(bytesPerFrame: stream.bytesPerFrame)
    header = Self.header(of: stream, as: format)
  }

  mutating func write(_ frames: RawSpan) throws(SystemError) {
    if !header.isEmpty {
      try send(header.span)
      header = []
    }
    var sent = 0
    while sent < frames.byteCount {
      let count = try reporting { () throws(SystemError) in
        try waitForRoom()
        return try output.write(frames.extracting(droppingFirst: sent))
      }
      reader.take(count)
      sent += count
    }
    bytesWritten += Int64(frames.byteCount)
  }

  /// Corrects the header if the output is a regular file. No frame may be written after this call.
  func complete() {
    guard header.isEmpty else { return }
    wave?.correct(in: output, audio: reader.delivered.value * Int64(stream.bytesPerFrame))
  }

  /// Does nothing, because written frames are already delivered.
  mutating func refresh() {}

  func note(_ event: PositionedEvent) {}

  private func send(_ bytes: Span<UInt8>) throws(SystemError) {
    try reporting { () throws(SystemError) in
      try output.writeAll(bytes)
      return 0
    }
  }

  /// Waits for space in the pipe. A write alone does not wait if another process has made the pipe
  /// non-blocking.
  private func waitForRoom() throws(SystemError) {
    _ = try output.wait(for: .writable, upTo: nil)
  }

  @discardableResult
  private func reporting(_ call: () throws(SystemError) -> Int) throws(SystemError) -> Int {
    do {
      return try call()
    } catch {
      if error.errno == .brokenPipe { reader.leave() }
      throw error
    }
  }

  /// Returns the bytes before the first frame. The header of a WAV file has very large sizes, so
  /// that programs read everything that comes through a pipe.
  package static func header(of stream: StreamFormat, as format: FileFormat) -> [UInt8] {
    guard format == .wav else { return [] }
    let header = WaveHeader(stream)
    let endless: Int64 = 0x7FFF_F000
    return header.bytes(audio: endless, end: Int64(header.count) + endless)
  }
}
