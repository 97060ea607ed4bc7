internal import Audio

/// One stream of a sound file: the bytes that a decoder reads, and properties that the decoder
/// cannot find.
struct SoundStream: Sendable {
  /// The bytes of the stream.
  var view: FileView
  /// The format of the samples if the view contains only samples, otherwise nil.
  var raw: RawStream?
  /// The counted number of frames, or nil if the decoder finds the number itself.
  var frames: FrameCount?
  /// The speaker position of each channel, or nil if the file does not state it.
  var speakers: [Speaker]?
  /// Whether the samples are 32-bit integers, although the decoder sees a smaller width.
  var isWide = false
  /// The number of frames that the file states but does not contain, or nil if this number is
  /// unknown.
  var missing: FrameCount?

  init(
    _ view: FileView, raw: RawStream? = nil, frames: FrameCount? = nil, speakers: [Speaker]? = nil
  ) {
    self.view = view
    self.raw = raw
    self.frames = frames
    self.speakers = speakers
  }
}

/// Samples without a header.
struct RawStream: Hashable, Sendable {
  var rate: SampleRate
  var channels: ChannelCount
  var encoding: Encoding
  /// Whether the samples are big-endian.
  var isBigEndian = false

  /// The encoding of a sample.
  enum Encoding: Hashable, Sendable {
    case unsigned8, signed8, signed16, aLaw, muLaw
    case plain(SampleFormat)
  }
}

/// The consecutive streams in a sound file.
struct SoundSurvey: Sendable {
  /// The streams, at least one.
  var streams: [SoundStream]
  /// The name of the container, or nil if the decoder finds the correct name in its view.
  var container: String?
  /// The reason why the file is incomplete, or nil if it is complete. This reason is thrown only if
  /// nothing in the file can be decoded.
  var fault: SoundFileError?
  /// The first stream, extended with zeros to the length that its header states. Nil if the file is
  /// complete or the header states no length.
  var stated: SoundStream?
  /// The number of bytes after the sound that do not belong to the format.
  var trailingBytes: Int64 = 0
  /// Whether the file is known to contain samples.
  var hasSamples = false

  init(_ streams: [SoundStream], container: String? = nil) {
    self.streams = streams
    self.container = container
  }
}

/// The bytes that a decoder sees instead of a file: ranges of the file, with inserted bytes between
/// them.
///
/// With a view, a decoder can read a stream from separate parts of the file, and sees correct sizes
/// in the header. No copy of the file is needed.
struct FileView: Sendable {
  private enum Origin {
    case file(Int64)
    case bytes([UInt8])
    case fill(UInt8)
    case pairs(Int64, Int64)
  }

  private struct Piece {
    let start: Int64
    var end: Int64
    let origin: Origin
  }

  private var pieces: [Piece] = []

  /// The maximum number of pieces, so that a malicious file cannot exhaust memory. It is enough for
  /// 75 hours of audio in Ogg pages.
  private static let mostPieces = 1 << 18

  init() {}

  /// A view of one range.
  init(_ range: Range<Int64>) { append(range) }

  /// The size of the view in bytes.
  var count: Int64 { pieces.last?.end ?? 0 }

  /// Whether the view has too many pieces.
  var isTooFragmented: Bool { pieces.count > Self.mostPieces }

  /// Adds a range of the file.
  mutating func append(_ range: Range<Int64>) {
    if let last = pieces.last, case .file(let first) = last.origin,
      first + (last.end - last.start) == range.lowerBound
    {
      pieces[pieces.count - 1].end += range.upperBound - range.lowerBound
    } else {
      append(.file(range.lowerBound), range.upperBound - range.lowerBound)
    }
  }

  /// Adds bytes that are not in the file.
  mutating func append(_ bytes: [UInt8]) { append(.bytes(bytes), Int64(bytes.count)) }

  /// Adds `times` copies of one byte.
  mutating func append(_ byte: UInt8, times: Int64) { append(.fill(byte), times) }

  /// Adds `count` bytes of each of two ranges. The bytes of the two ranges alternate.
  mutating func append(pairsFrom first: Int64, _ second: Int64, count: Int64) {
    append(.pairs(first, second), 2 * count)
  }

  private mutating func append(_ origin: Origin, _ length: Int64) {
    guard length > 0 else { return }
    let start = count
    let (end, overflow) = start.addingReportingOverflow(length)
    pieces.append(Piece(start: start, end: overflow ? .max : end, origin: origin))
  }

  /// Returns the same view with other bytes at `offset`.
  func replacing(at offset: Int64, with bytes: [UInt8]) -> FileView {
    var view = FileView()
    view.append(self, 0..<min(offset, count))
    view.append(bytes)
    let rest = offset + Int64(bytes.count)
    if rest < count { view.append(self, rest..<count) }
    return view
  }

  /// Adds a part of another view.
  mutating func append(_ other: FileView, _ part: Range<Int64>) {
    for piece in other.pieces {
      let range = part.clamped(to: piece.start..<piece.end)
      guard !range.isEmpty else { continue }
      let offset = range.lowerBound - piece.start
      switch piece.origin {
      case .file(let first):
        append(first + offset..<first + offset + Int64(range.count))
      case .bytes(let bytes):
        append(Array(bytes[Int(offset)..<Int(offset) + range.count]))
      case .fill(let byte): append(byte, times: Int64(range.count))
      case .pairs(let left, let right):
        append(.pairs(left + offset / 2, right + offset / 2), Int64(range.count))
      }
    }
  }
}

extension FileView {
  /// Reads into `bytes`, beginning at `offset` in the view. Returns the number of bytes read, which
  /// is smaller than the size of `bytes` only at the end.
  func read(
    into bytes: inout MutableRawSpan, at offset: Int64, of file: CheckedFile
  ) throws(SoundFileError) -> Int {
    var done = 0
    var index = piece(at: offset)
    while done < bytes.byteCount, index < pieces.count {
      let wanted = bytes.byteCount - done
      let count = try unsafe bytes.withUnsafeMutableBytes { all throws(SoundFileError) in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: all[done..<done + wanted])
        return try unsafe copy(pieces[index], from: offset + Int64(done), into: rest, file)
      }
      if count == 0 { break }
      done += count
      index += 1
    }
    return done
  }

  /// Reads at most `count` bytes at `offset`.
  func bytes(
    at offset: Int64, upTo count: Int, of file: CheckedFile
  ) throws(SoundFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, Int(self.count - offset))))
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let read = try self.read(into: &raw, at: offset, of: file)
    return Array(bytes.prefix(read))
  }

  private func piece(at offset: Int64) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].end <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func copy(
    _ piece: Piece, from offset: Int64, into memory: UnsafeMutableRawBufferPointer,
    _ file: CheckedFile
  ) throws(SoundFileError) -> Int {
    let skipped = offset - piece.start
    let count = Int(min(piece.end - offset, Int64(memory.count)))
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
    switch piece.origin {
    case .file(let first):
      var span = unsafe target.mutableBytes
      return try file.read(into: &span, at: first + skipped)
    case .bytes(let bytes):
      unsafe target.copyBytes(from: bytes[Int(skipped)..<Int(skipped) + count])
    case .fill(let byte):
      for index in 0..<count { unsafe target[index] = byte }
    case .pairs(let left, let right):
      let (start, half) = (skipped / 2, count / 2 + 1)
      let pair = [
        try file.bytes(at: left + start, upTo: half), try file.bytes(at: right + start, upTo: half),
      ]
      for byteIndex in 0..<count {
        let index = Int(skipped % 2) + byteIndex
        guard index / 2 < pair[index % 2].count else { return byteIndex }
        unsafe target[byteIndex] = pair[index % 2][index / 2]
      }
    }
    return count
  }
}
