/// The layout of the chunks in a container, and the name of the chunk with the samples.
struct ChunkLayout {
  /// The offset of the first chunk.
  let first: Int64
  /// The size of a chunk's name in bytes. The first four bytes identify the chunk.
  var nameBytes = 4
  var sizeBytes = 4
  var isBigEndian = false
  /// Whether a size includes the name and the size field itself.
  private var countsHead = false
  /// The alignment of chunks in bytes.
  private var alignment: Int64 = 2
  /// The name of the chunk that contains the samples.
  let samples: String
  /// The number of bytes before the samples within their chunk.
  var preface: Int64 = 0
  /// The stated sizes that mean that the samples extend to the end of the file. Programs write them
  /// if they cannot seek back to correct the size.
  let unknown: Set<Int64>
}

extension ChunkLayout {
  /// The layout of a file with this beginning, or nil if it has no chunks.
  init?(of head: [UInt8]) {
    guard head.count >= 12 else { return nil }
    switch (head.name(at: 0), head.name(at: 8)) {
    case ("RIFF", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"):
      self.init(first: 12, samples: "data", unknown: Self.streamedWave)
    case ("RIFX", "WAVE"):
      self.init(first: 12, isBigEndian: true, samples: "data", unknown: Self.streamedWave)
    case ("FORM", "AIFF"), ("FORM", "AIFC"):
      self.init(
        first: 12, isBigEndian: true, samples: "SSND", preface: 8, unknown: Self.streamedAIFF)
    case ("FORM", "8SVX"), ("FORM", "16SV"):
      self.init(first: 12, isBigEndian: true, samples: "BODY", unknown: [])
    case ("caff", _):
      // If libsndfile writes to a pipe, it writes the size of a chunk without samples: 4, the size
      // of the edit count.
      self.init(
        first: 8, sizeBytes: 8, isBigEndian: true, alignment: 1, samples: "data", preface: 4,
        unknown: [-1, 0, 4])
    case ("riff", _):
      self.init(
        first: 40, nameBytes: 16, sizeBytes: 8, countsHead: true, alignment: 8, samples: "data",
        unknown: [-1, 0, 24, .max])
    default: return nil
    }
  }

  /// In this order, the sizes come from: various programs; GStreamer; SoX and eSpeak; various
  /// programs; arecord; ffmpeg.
  private static let streamedWave: Set<Int64> = [
    0, 0x7FFF_0000, 0x7FFF_F000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
  ]

  /// The sizes come from ffmpeg, from SoX (with and without the bytes before the samples), and from
  /// other programs.
  private static let streamedAIFF: Set<Int64> = [0, 8, 0x7F00_0000, 0x7F00_0008, 0xFFFF_FFFF]

  /// The number of bytes that determine the layout. They are at the beginning of a file.
  static let mostHeadBytes = 16

  /// The size of a chunk's name and size field in bytes.
  var headBytes: Int { nameBytes + sizeBytes }

  /// Returns the size that a chunk's head states.
  func size(_ head: [UInt8]) -> Int64 {
    let bytes = head[nameBytes..<headBytes]
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Returns the size of the content, as the head of the chunk states it.
  func content(_ head: [UInt8]) -> Int64 {
    countsHead ? size(head).subtractingReportingOverflow(Int64(headBytes)).partialValue : size(head)
  }

  /// Returns the offset of the next chunk. The content of the current chunk has `content` bytes and
  /// begins at `start`. Returns nil if no file can be that large.
  func next(after start: Int64, _ content: Int64) -> Int64? {
    let (end, overflow) = start.addingReportingOverflow(max(0, content))
    let (padded, another) = end.addingReportingOverflow(alignment - 1)
    return overflow || another ? nil : padded / alignment * alignment
  }

  /// Returns the encoded size field of a chunk with `content` bytes, limited to the field's
  /// maximum.
  func sizeField(of content: Int64) -> [UInt8] {
    let bytes =
      sizeBytes == 4
      ? UInt32(clamping: content).littleBytes
      : (content + (countsHead ? Int64(headBytes) : 0)).littleBytes
    return isBigEndian ? bytes.reversed() : bytes
  }
}
