/// Where the samples of a file lie, as the file itself says.
struct SampleExtent {
  let start: Int64
  /// Their bytes; nil where the file does not know.
  let count: Int64?
  /// What the header would say had its writer known; libsndfile takes some of these files for empty.
  var correction: Correction?

  /// Bytes that stand at a place of the file for whoever reads it.
  struct Correction {
    let place: Int64
    let bytes: [UInt8]
  }
}

extension CheckedFile {
  /// Where the samples lie; nil where the container does not say, or is none that is known here.
  func sampleExtent() throws(SoundFileError) -> SampleExtent? {
    let head = try bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)
    if head.starts(with: ".snd".utf8) { return Self.audioFileExtent(head) }
    guard let layout = ChunkLayout(of: head) else { return nil }
    var place = layout.first
    var large: LargeSize?
    for _ in 0..<Self.mostChunks {
      let chunk = try bytes(at: place, upTo: layout.headBytes)
      guard chunk.count == layout.headBytes else { return nil }
      let start = place + Int64(layout.headBytes)
      if chunk.name(at: 0) == layout.samples {
        return try extent(layout, chunk, at: place, large)
      }
      if chunk.name(at: 0) == "ds64" { large = try largeSize(at: start) }
      guard let next = layout.next(after: start, layout.content(chunk)) else { return nil }
      place = next
    }
    return nil
  }

  /// Sun's and NeXT's: the place of the samples and their bytes stand in the header.
  private static func audioFileExtent(_ head: [UInt8]) -> SampleExtent? {
    guard head.count >= 12 else { return nil }
    let numbers = [4, 8].map { offset in
      head[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int64($1) }
    }
    return SampleExtent(start: numbers[0], count: numbers[1] == 0xFFFF_FFFF ? nil : numbers[1])
  }

  private func extent(
    _ layout: ChunkLayout, _ chunk: [UInt8], at place: Int64, _ large: LargeSize?
  ) throws(SoundFileError) -> SampleExtent {
    let (start, size) = (place + Int64(layout.headBytes), layout.size(chunk))
    var extent = SampleExtent(
      start: start + layout.preface, count: layout.content(chunk) - layout.preface)
    if let large, size == Int64(UInt32.max) {
      if large.size > 0 { return SampleExtent(start: start, count: large.size) }
      var bytes: [UInt8] = []
      bytes.append(little: end - start)
      return SampleExtent(
        start: start, count: nil, correction: .init(place: large.place, bytes: bytes))
    }
    guard layout.unknown.contains(size), try !isChunk(at: start, layout) else { return extent }
    extent = SampleExtent(start: extent.start, count: nil)
    if end > extent.start {
      extent.correction = .init(
        place: place + Int64(layout.nameBytes), bytes: layout.sizeField(of: end - start))
    }
    return extent
  }

  /// Whether a chunk lies there that ends within the file, and not samples.
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

  /// What RF64 says of its samples, and where.
  private func largeSize(at start: Int64) throws(SoundFileError) -> LargeSize? {
    let sizes = try bytes(at: start, upTo: 16)
    return sizes.count == 16
      ? LargeSize(place: start + 8, size: sizes.number(at: 8, as: Int64.self)) : nil
  }
}

extension CheckedFile {
  /// Throws where the file ends before the samples that it claims to have; returns whether it is known to have any.
  func checkExtent() throws(SoundFileError) -> Bool {
    if try bytes(at: 0, upTo: 4) == Array("OggS".utf8) { try checkLastPage() }
    guard let extent = try sampleExtent() else { return false }
    guard let count = extent.count else { return extent.start < end }
    let (expected, overflow) = extent.start.addingReportingOverflow(count)
    if overflow || expected > end {
      throw .cutOff(subject: label, expected: overflow ? .max : expected, actual: end)
    }
    return count > 0
  }

  /// Ogg has no sizes; but a file that somebody finished ends with a whole page, or with the page that says so.
  private func checkLastPage() throws(SoundFileError) {
    let most = 2 * OggPage.mostBytes
    let tail = try bytes(at: max(0, end - Int64(most)), upTo: most)
    for offset in tail.indices.reversed() where tail[offset] == UInt8(ascii: "O") {
      guard let page = try? OggPage(parsing: tail.span.extracting(droppingFirst: offset)) else {
        continue
      }
      if page.isLast || offset + page.byteCount == tail.count { return }
      break
    }
    throw .cutOff(subject: label, expected: nil, actual: end)
  }
}
