/// The place of a file's samples, as the file itself says.
struct SampleExtent {
  let start: Int64
  /// Their bytes; nil where the file does not know.
  let count: Int64?
  /// The size that the header lacks because its writer could not know it; libsndfile takes some of these
  /// files for empty.
  var correction: Correction?

  /// The samples that are there, of a file that ends at `end`.
  func range(upTo end: Int64) -> Range<Int64> {
    let (claimed, overflow) = start.addingReportingOverflow(max(0, count ?? end))
    return start..<max(start, min(end, overflow ? end : claimed))
  }

  /// Bytes that replace those at a place of the file for its reader.
  struct Correction {
    let place: Int64
    let bytes: [UInt8]
  }
}

extension CheckedFile {
  /// The place of the samples; nil where the container does not state it, or is none that is known here.
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
  private func search<Found>(
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
      if large.size > 0 { return SampleExtent(start: start, count: large.size) }
      var bytes: [UInt8] = []
      bytes.append(little: end - start)
      return SampleExtent(
        start: start, count: nil, correction: .init(place: large.place, bytes: bytes))
    }
    guard isUnknown(size, from: start, layout, head: try bytes(at: 0, upTo: 8)),
      try !isChunk(at: start, layout)
    else { return extent }
    let last = try endOfSamples(layout)
    extent = SampleExtent(start: extent.start, count: nil)
    if last > extent.start {
      extent.correction = .init(
        place: place + Int64(layout.nameBytes), bytes: layout.sizeField(of: last - start))
    }
    return extent
  }

  /// The end of samples that reach to the end of the file; GStreamer puts an empty list of texts behind them.
  private func endOfSamples(_ layout: ChunkLayout) throws(SoundFileError) -> Int64 {
    let list: [UInt8] = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
    guard layout.samples == "data", layout.sizeBytes == 4 else { return end }
    return try bytes(at: end - Int64(list.count), upTo: list.count) == list
      ? end - Int64(list.count) : end
  }

  /// True where a size stands for "to the end": one that programs are known to put there, or one just below 2 or 4
  /// GiB with which the samples would end at the end that the header claims for the file.
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
  func isChunk(at place: Int64, _ layout: ChunkLayout) throws(SoundFileError) -> Bool {
    let chunk = try bytes(at: place, upTo: layout.headBytes)
    guard chunk.count == layout.headBytes else { return false }
    let content = layout.content(chunk)
    return chunk.prefix(4).allSatisfy { (0x20..<0x7F).contains($0) } && content >= 0
      && content <= end - place - Int64(layout.headBytes)
  }

  /// A broken file may be all chunks.
  private static let mostChunks = 4_096

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
