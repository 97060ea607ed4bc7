/// The range of a file's samples, as the file states it.
struct SampleExtent {
  let start: Int64
  /// The size of the samples in bytes, or nil if the file does not know it.
  let count: Int64?
  /// The corrected size for the decoder if the writer could not know the size or it is larger than
  /// the file, or nil if no correction is needed. libsndfile treats some of these files as empty.
  var correction: Correction?
  /// Returns the range of the existing samples in a file that ends at `end`.
  func range(upTo end: Int64) -> Range<Int64> {
    let (claimed, overflow) = start.addingReportingOverflow(max(0, count ?? end))
    return start..<max(start, min(end, overflow ? end : claimed))
  }

  /// Returns the same extent with a correction for the decoder.
  func corrected(by correction: Correction) -> SampleExtent {
    var extent = self
    extent.correction = correction
    return extent
  }

  /// Bytes that replace others at an offset of the file when the decoder reads it.
  struct Correction {
    let offset: Int64
    let bytes: [UInt8]
  }
}

extension CheckedFile {
  /// Returns the range of the samples, or nil if the container does not state it or is unknown
  /// here.
  func sampleExtent() throws(SoundFileError) -> SampleExtent? {
    let head = try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)
    if head.starts(with: ".snd".utf8) || head.starts(with: "dns.".utf8) {
      return Self.audioFileExtent(head)
    }
    var large: LargeSize?
    return try search { layout, chunk, offset throws(SoundFileError) in
      if chunk.name(at: 0) == layout.samples {
        return try extent(layout, chunk, at: offset, large)
      }
      if chunk.name(at: 0) == "ds64" { large = try largeSize(at: offset + Int64(layout.headBytes)) }
      return nil
    }
  }

  /// Iterates over the chunks until `look` returns a result for the head of one.
  func search<Found>(
    _ look: (ChunkLayout, [UInt8], Int64) throws(SoundFileError) -> Found?
  ) throws(SoundFileError) -> Found? {
    guard let layout = ChunkLayout(of: try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)) else {
      return nil
    }
    var offset = layout.first
    for _ in 0..<Self.mostChunks {
      let chunk = try bytes(at: offset, upTo: layout.headBytes)
      guard chunk.count == layout.headBytes else { return nil }
      if let found = try look(layout, chunk, offset) { return found }
      let start = offset + Int64(layout.headBytes)
      guard let next = layout.next(after: start, layout.content(chunk)) else { return nil }
      offset = next
    }
    return nil
  }

  /// Returns the extent in a file of Sun or NeXT. The header states the offset and the size of the
  /// samples.
  private static func audioFileExtent(_ head: [UInt8]) -> SampleExtent? {
    guard head.count >= 12 else { return nil }
    let isSwapped = head.name(at: 0) == "dns."
    let numbers = [4, 8].map { offset in
      let number = head.number(at: offset, as: UInt32.self)
      return Int64(isSwapped ? number : number.byteSwapped)
    }
    return SampleExtent(start: numbers[0], count: numbers[1] == 0xFFFF_FFFF ? nil : numbers[1])
  }

  private func extent(
    _ layout: ChunkLayout, _ chunk: [UInt8], at offset: Int64, _ large: LargeSize?
  ) throws(SoundFileError) -> SampleExtent {
    let (start, size) = (offset + Int64(layout.headBytes), layout.size(chunk))
    var extent = SampleExtent(
      start: start + layout.preface, count: max(-1, layout.content(chunk)) - layout.preface)
    if let large, size == Int64(UInt32.max) {
      var bytes: [UInt8] = []
      bytes.append(little: end - start)
      if large.size > 0 {
        let extent = SampleExtent(start: start, count: large.size)
        guard reachesPastEnd(extent) else { return extent }
        bytes = []
        bytes.append(little: try wholeBlocks(in: end - start, layout))
        return extent.corrected(by: .init(offset: large.offset, bytes: bytes))
      }
      let correction = SampleExtent.Correction(offset: large.offset, bytes: bytes)
      return SampleExtent(start: start, count: nil, correction: correction)
    }
    let sizeOffset = offset + Int64(layout.nameBytes)
    guard isUnknown(size, from: start, layout, head: try bytes(at: 0, upTo: 8)),
      try !isChunk(at: start, layout)
    else {
      guard reachesPastEnd(extent) else { return extent }
      let size = layout.sizeField(of: try wholeBlocks(in: end - start, layout))
      return extent.corrected(by: .init(offset: sizeOffset, bytes: size))
    }
    let last = try endOfSamples(layout)
    extent = SampleExtent(start: extent.start, count: nil)
    if last > extent.start {
      extent.correction = .init(offset: sizeOffset, bytes: layout.sizeField(of: last - start))
    }
    return extent
  }

  /// Returns the size of the whole blocks in the samples of a WAV file. For other files, returns
  /// all bytes.
  ///
  /// A decoder that works on blocks, such as ADPCM, turns a torn block into noise.
  func wholeBlocks(in bytes: Int64, _ layout: ChunkLayout) throws(SoundFileError) -> Int64 {
    guard let format = try content(of: "fmt ", upTo: 1 << 12), format.count >= 14 else {
      return bytes
    }
    let align = format.number(at: 12, as: UInt16.self)
    return bytes - bytes % max(1, Int64(layout.isBigEndian ? align.byteSwapped : align))
  }

  /// Whether a file states more samples than it contains.
  func reachesPastEnd(_ extent: SampleExtent) -> Bool {
    (extent.count ?? 0) > end - extent.start
  }

  /// Returns the end of samples that extend to the end of the file. GStreamer puts an empty text
  /// list after them.
  func endOfSamples(_ layout: ChunkLayout) throws(SoundFileError) -> Int64 {
    let list: [UInt8] = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
    guard layout.samples == "data", layout.sizeBytes == 4 else { return end }
    return try bytes(at: end - Int64(list.count), upTo: list.count) == list
      ? end - Int64(list.count) : end
  }

  /// Whether a size means "to the end". Some sizes are known to be written with this meaning.
  /// Others are just below 2 or 4 GiB, and with them the samples would end where the header says
  /// that the file ends.
  private func isUnknown(
    _ size: Int64, from start: Int64, _ layout: ChunkLayout, head: [UInt8]
  ) -> Bool {
    if layout.unknown.contains(size) { return true }
    guard layout.samples == "data", layout.sizeBytes == 4, head.count == 8, start + size > end,
      [Int64(1) << 31, 1 << 32].contains(where: { ($0 - 1 << 16..<$0).contains(size) })
    else { return false }
    let whole = layout.size(head)
    let claimsAll = whole == Int64(UInt32.max) && size < whole
    return claimsAll || abs(whole + 8 - (start + size)) <= 1
  }

  /// Returns the offset of the chunk's content, or nil if there is no such chunk before the samples
  /// end.
  func offset(of name: String) throws(SoundFileError) -> Int64? { try chunk(name)?.lowerBound }

  /// Returns the content of a chunk, or nil if there is none or it has more than `most` bytes.
  func content(of name: String, upTo most: Int) throws(SoundFileError) -> [UInt8]? {
    guard let range = try chunk(name), range.count <= most else { return nil }
    return try bytes(at: range.lowerBound, upTo: range.count)
  }

  private func chunk(_ name: String) throws(SoundFileError) -> Range<Int64>? {
    try search { layout, chunk, offset in
      guard chunk.name(at: 0) == name else { return nil }
      let start = offset + Int64(layout.headBytes)
      return start..<start + max(0, min(layout.content(chunk), end - start))
    }
  }

  /// Whether there is a chunk at `offset`, not samples, that ends within the file.
  private func isChunk(at offset: Int64, _ layout: ChunkLayout) throws(SoundFileError) -> Bool {
    let chunk = try bytes(at: offset, upTo: layout.headBytes)
    guard chunk.count == layout.headBytes else { return false }
    let content = layout.content(chunk)
    return chunk.prefix(4).allSatisfy { (0x20..<0x7F).contains($0) } && content >= 0
      && content <= end - offset - Int64(layout.headBytes)
  }

  /// The maximum number of chunks to read. A broken file may consist only of chunks.
  static let mostChunks = 4_096

  private struct LargeSize {
    let offset: Int64
    let size: Int64
  }

  /// Returns the size of the samples in an RF64 file, and the offset of this size.
  private func largeSize(at start: Int64) throws(SoundFileError) -> LargeSize? {
    let sizes = try bytes(at: start, upTo: 16)
    return sizes.count == 16
      ? LargeSize(offset: start + 8, size: sizes.number(at: 8, as: Int64.self)) : nil
  }
}

/// The layout of a container's chunks, with the name of the chunk for the samples.
struct ChunkLayout {
  /// The offset of the first chunk.
  let first: Int64
  /// The size of a chunk's name in bytes. The first four bytes identify it.
  var nameBytes = 4
  var sizeBytes = 4
  var isBigEndian = false
  /// Whether a size includes the name and the size itself.
  private var countsHead = false
  /// The alignment of chunks in bytes.
  private var alignment: Int64 = 2
  /// The name of the chunk that holds the samples.
  let samples: String
  /// The number of bytes before the samples within their chunk.
  var preface: Int64 = 0
  /// The sizes that mean "to the end". Programs write them if they cannot seek back to correct
  /// them.
  let unknown: Set<Int64>

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
      // If libsndfile writes to a pipe, it writes the size of an empty chunk: 4, for the edit count
      // alone.
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

  private init(
    first: Int64, nameBytes: Int = 4, sizeBytes: Int = 4, isBigEndian: Bool = false,
    countsHead: Bool = false, alignment: Int64 = 2, samples: String, preface: Int64 = 0,
    unknown: Set<Int64>
  ) {
    self.first = first
    self.nameBytes = nameBytes
    self.sizeBytes = sizeBytes
    self.isBigEndian = isBigEndian
    self.countsHead = countsHead
    self.alignment = alignment
    self.samples = samples
    self.preface = preface
    self.unknown = unknown
  }

  /// The sizes come, in order, from: some programs; GStreamer; SoX and eSpeak; some programs;
  /// arecord; ffmpeg.
  private static let streamedWave: Set<Int64> = [
    0, 0x7FFF_0000, 0x7FFF_F000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
  ]

  /// The sizes come from ffmpeg, from SoX (with and without the bytes before the samples), and from
  /// other programs.
  private static let streamedAIFF: Set<Int64> = [0, 8, 0x7F00_0000, 0x7F00_0008, 0xFFFF_FFFF]

  /// The number of bytes at the beginning of a file that determine its layout.
  static let mostHeadBytes = 16

  /// The size of a chunk's name and size field in bytes.
  var headBytes: Int { nameBytes + sizeBytes }

  /// Returns the size that a chunk's head states.
  func size(_ head: [UInt8]) -> Int64 {
    let bytes = head[nameBytes..<headBytes]
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Returns the size of the content that a chunk states.
  func content(_ head: [UInt8]) -> Int64 {
    countsHead ? size(head).subtractingReportingOverflow(Int64(headBytes)).partialValue : size(head)
  }

  /// Returns the offset of the next chunk after one whose content begins at `start`, or nil if it
  /// is larger than any file.
  func next(after start: Int64, _ content: Int64) -> Int64? {
    let (end, overflow) = start.addingReportingOverflow(max(0, content))
    let (padded, another) = end.addingReportingOverflow(alignment - 1)
    return overflow || another ? nil : padded / alignment * alignment
  }

  /// Returns the encoded size field of a chunk with `content` bytes, limited to the field's
  /// maximum.
  func sizeField(of content: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    if sizeBytes == 4 {
      bytes.append(clamping: content)
    } else {
      bytes.append(little: content + (countsHead ? Int64(headBytes) : 0))
    }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
