/// The place of a file's samples, as the file itself says.
struct SampleExtent {
  let start: Int64
  /// Their bytes; nil where the file does not know.
  let count: Int64?
  /// The size that the header lacks because its writer could not know it, or that is larger than the
  /// file; libsndfile takes some of these files for empty.
  var correction: Correction?
  /// The samples that are there, of a file that ends at `end`.
  func range(upTo end: Int64) -> Range<Int64> {
    let (claimed, overflow) = start.addingReportingOverflow(max(0, count ?? end))
    return start..<max(start, min(end, overflow ? end : claimed))
  }

  /// The same extent with a correction for the decoder.
  func corrected(by correction: Correction) -> SampleExtent {
    var extent = self
    extent.correction = correction
    return extent
  }

  /// Bytes that replace those at a place of the file for its reader.
  struct Correction {
    let place: Int64
    let bytes: [UInt8]
  }
}

extension CheckedFile {
  /// The place of the samples; nil where the container does not state it, or is none that is known
  /// here.
  func sampleExtent() throws(SoundFileError) -> SampleExtent? {
    let head = try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)
    if head.starts(with: ".snd".utf8) || head.starts(with: "dns.".utf8) {
      return Self.audioFileExtent(head)
    }
    var large: LargeSize?
    return try search { layout, chunk, place throws(SoundFileError) in
      if chunk.name(at: 0) == layout.samples {
        return try extent(layout, chunk, at: place, large)
      }
      if chunk.name(at: 0) == "ds64" { large = try largeSize(at: place + Int64(layout.headBytes)) }
      return nil
    }
  }

  /// Goes through the chunks until `look` finds something in the head of one.
  func search<Found>(
    _ look: (ChunkLayout, [UInt8], Int64) throws(SoundFileError) -> Found?
  ) throws(SoundFileError) -> Found? {
    guard let layout = ChunkLayout(of: try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)) else {
      return nil
    }
    var place = layout.first
    for _ in 0..<Self.mostChunks {
      let chunk = try bytes(at: place, upTo: layout.headBytes)
      guard chunk.count == layout.headBytes else { return nil }
      if let found = try look(layout, chunk, place) { return found }
      let start = place + Int64(layout.headBytes)
      guard let next = layout.next(after: start, layout.content(chunk)) else { return nil }
      place = next
    }
    return nil
  }

  /// Sun's and NeXT's: the place of the samples and their bytes stand in the header.
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
    _ layout: ChunkLayout, _ chunk: [UInt8], at place: Int64, _ large: LargeSize?
  ) throws(SoundFileError) -> SampleExtent {
    let (start, size) = (place + Int64(layout.headBytes), layout.size(chunk))
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
        return extent.corrected(by: .init(place: large.place, bytes: bytes))
      }
      let correction = SampleExtent.Correction(place: large.place, bytes: bytes)
      return SampleExtent(start: start, count: nil, correction: correction)
    }
    let sizePlace = place + Int64(layout.nameBytes)
    guard isUnknown(size, from: start, layout, head: try bytes(at: 0, upTo: 8)),
      try !isChunk(at: start, layout)
    else {
      guard reachesPastEnd(extent) else { return extent }
      let size = layout.sizeField(of: try wholeBlocks(in: end - start, layout))
      return extent.corrected(by: .init(place: sizePlace, bytes: size))
    }
    let last = try endOfSamples(layout)
    extent = SampleExtent(start: extent.start, count: nil)
    if last > extent.start {
      extent.correction = .init(place: sizePlace, bytes: layout.sizeField(of: last - start))
    }
    return extent
  }

  /// The bytes of whole blocks among those of a WAV file's samples; for other files, all of them.
  ///
  /// A decoder of blocks, as of ADPCM, makes noise of a torn one.
  func wholeBlocks(in bytes: Int64, _ layout: ChunkLayout) throws(SoundFileError) -> Int64 {
    guard let format = try content(of: "fmt ", upTo: 1 << 12), format.count >= 14 else {
      return bytes
    }
    let align = format.number(at: 12, as: UInt16.self)
    return bytes - bytes % max(1, Int64(layout.isBigEndian ? align.byteSwapped : align))
  }

  /// Whether a file states more samples than it has.
  func reachesPastEnd(_ extent: SampleExtent) -> Bool {
    (extent.count ?? 0) > end - extent.start
  }

  /// The end of samples that reach to the end of the file; GStreamer puts an empty list of texts
  /// behind them.
  func endOfSamples(_ layout: ChunkLayout) throws(SoundFileError) -> Int64 {
    let list: [UInt8] = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
    guard layout.samples == "data", layout.sizeBytes == 4 else { return end }
    return try bytes(at: end - Int64(list.count), upTo: list.count) == list
      ? end - Int64(list.count) : end
  }

  /// True where a size stands for "to the end": one that programs are known to put there, or one
  /// just below 2 or 4 GiB with which the samples would end at the end that the header claims for
  /// the file.
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

  /// The place of the chunk's content; nil where there is none before the samples end.
  func place(of name: String) throws(SoundFileError) -> Int64? { try chunk(name)?.lowerBound }

  /// The content of a chunk; nil where there is none or it has more bytes than that.
  func content(of name: String, upTo most: Int) throws(SoundFileError) -> [UInt8]? {
    guard let range = try chunk(name), range.count <= most else { return nil }
    return try bytes(at: range.lowerBound, upTo: range.count)
  }

  private func chunk(_ name: String) throws(SoundFileError) -> Range<Int64>? {
    try search { layout, chunk, place in
      guard chunk.name(at: 0) == name else { return nil }
      let start = place + Int64(layout.headBytes)
      return start..<start + max(0, min(layout.content(chunk), end - start))
    }
  }

  /// True where a chunk, and not samples, lies at `place` and ends within the file.
  private func isChunk(at place: Int64, _ layout: ChunkLayout) throws(SoundFileError) -> Bool {
    let chunk = try bytes(at: place, upTo: layout.headBytes)
    guard chunk.count == layout.headBytes else { return false }
    let content = layout.content(chunk)
    return chunk.prefix(4).allSatisfy { (0x20..<0x7F).contains($0) } && content >= 0
      && content <= end - place - Int64(layout.headBytes)
  }

  /// A broken file may be all chunks.
  static let mostChunks = 4_096

  private struct LargeSize {
    let place: Int64
    let size: Int64
  }

  /// The size of the samples in an RF64 file, and its place.
  private func largeSize(at start: Int64) throws(SoundFileError) -> LargeSize? {
    let sizes = try bytes(at: start, upTo: 16)
    return sizes.count == 16
      ? LargeSize(place: start + 8, size: sizes.number(at: 8, as: Int64.self)) : nil
  }
}

/// The layout of a container's chunks, and the name of the one with the samples.
struct ChunkLayout {
  /// The place of the first chunk.
  let first: Int64
  /// The bytes of a chunk's name, of which the first four identify it.
  var nameBytes = 4
  var sizeBytes = 4
  var isBigEndian = false
  /// True where a size counts its name and itself too.
  private var countsHead = false
  /// The number that the beginnings of chunks are multiples of.
  private var alignment: Int64 = 2
  /// The name of the chunk that holds the samples.
  let samples: String
  /// The bytes before the samples within their chunk.
  var preface: Int64 = 0
  /// The sizes that mean "to the end", of programs that could not go back to correct them.
  let unknown: Set<Int64>

  /// The layout of a file that begins so; nil where it is not made of chunks.
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
      // libsndfile writes the size of an empty chunk into a pipe: that of its number of edits.
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

  /// Some; GStreamer; SoX and eSpeak; some; arecord; ffmpeg.
  private static let streamedWave: Set<Int64> = [
    0, 0x7FFF_0000, 0x7FFF_F000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
  ]

  /// ffmpeg; SoX, with and without the bytes before the samples; others.
  private static let streamedAIFF: Set<Int64> = [0, 8, 0x7F00_0000, 0x7F00_0008, 0xFFFF_FFFF]

  /// The bytes of a file's beginning that decide its layout.
  static let mostHeadBytes = 16

  /// The bytes of a chunk's name and size.
  var headBytes: Int { nameBytes + sizeBytes }

  /// The size that a chunk's head claims.
  func size(_ head: [UInt8]) -> Int64 {
    let bytes = head[nameBytes..<headBytes]
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The bytes that a chunk claims to hold.
  func content(_ head: [UInt8]) -> Int64 {
    countsHead ? size(head).subtractingReportingOverflow(Int64(headBytes)).partialValue : size(head)
  }

  /// The place of the chunk after one whose content begins at `start`; nil beyond every file.
  func next(after start: Int64, _ content: Int64) -> Int64? {
    let (end, overflow) = start.addingReportingOverflow(max(0, content))
    let (padded, another) = end.addingReportingOverflow(alignment - 1)
    return overflow || another ? nil : padded / alignment * alignment
  }

  /// The size of a chunk that holds so many bytes, as it stands in the file; at most what it can
  /// say.
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
