/// The chunks of a file.
struct Chunks {
  let file: CheckedFile
  let layout: ChunkLayout

  /// Reads the beginning of a file. The result is nil if the file has no chunks.
  init?(of file: CheckedFile) throws(SoundFileError) {
    let head = try file.bytes(at: 0, upTo: ChunkLayout.mostHeadBytes)
    guard let layout = ChunkLayout(of: head) else { return nil }
    (self.file, self.layout) = (file, layout)
  }

  /// Returns the range of the samples, or nil if no chunk contains them.
  func sampleExtent() throws(SoundFileError) -> SampleExtent? {
    var large: LargeSize?
    return try search { chunk, offset throws(SoundFileError) in
      if chunk.name(at: 0) == layout.samples { return try extent(chunk, at: offset, large) }
      if chunk.name(at: 0) == "ds64" { large = try largeSize(at: offset + Int64(layout.headBytes)) }
      return nil
    }
  }

  /// Calls `look` with the head and the offset of each chunk until `look` returns a result.
  func search<Found>(
    _ look: ([UInt8], Int64) throws(SoundFileError) -> Found?
  ) throws(SoundFileError) -> Found? {
    var offset = layout.first
    for _ in 0..<Self.most {
      let chunk = try file.bytes(at: offset, upTo: layout.headBytes)
      guard chunk.count == layout.headBytes else { return nil }
      if let found = try look(chunk, offset) { return found }
      let start = offset + Int64(layout.headBytes)
      guard let next = layout.next(after: start, layout.content(chunk)) else { return nil }
      offset = next
    }
    return nil
  }

  private func extent(
    _ chunk: [UInt8], at offset: Int64, _ large: LargeSize?
  ) throws(SoundFileError) -> SampleExtent {
    let (start, size) = (offset + Int64(layout.headBytes), layout.size(chunk))
    var extent = SampleExtent(
      start: start + layout.preface, count: max(-1, layout.content(chunk)) - layout.preface)
    if let large, size == Int64(UInt32.max) {
      var there = file.end - start
      var extent = SampleExtent(start: start, count: large.size > 0 ? large.size : nil)
      if extent.count != nil {
        guard extent.reaches(past: file.end) else { return extent }
        there = try wholeBlocks(in: there)
      }
      extent.correction = FilePatch(offset: large.offset, bytes: there.littleBytes)
      return extent
    }
    let sizeOffset = offset + Int64(layout.nameBytes)
    guard isUnknown(size, from: start, head: try file.bytes(at: 0, upTo: 8)),
      try !isChunk(at: start)
    else {
      guard extent.reaches(past: file.end) else { return extent }
      let size = layout.sizeField(of: try wholeBlocks(in: file.end - start))
      extent.correction = FilePatch(offset: sizeOffset, bytes: size)
      return extent
    }
    let last = try endOfSamples()
    extent = SampleExtent(start: extent.start, count: nil)
    if last > extent.start {
      extent.correction = .init(offset: sizeOffset, bytes: layout.sizeField(of: last - start))
    }
    return extent
  }

  /// Returns `bytes`, rounded down to whole blocks if the file is WAV.
  ///
  /// A decoder that works on blocks, such as ADPCM, would turn an incomplete block into noise.
  func wholeBlocks(in bytes: Int64) throws(SoundFileError) -> Int64 {
    guard let format = try content(of: "fmt ", upTo: 1 << 12), format.count >= 14 else {
      return bytes
    }
    let align = format.number(at: 12, as: UInt16.self)
    return bytes - bytes % max(1, Int64(layout.isBigEndian ? align.byteSwapped : align))
  }

  /// Returns the end of the samples in a file that does not state their size: the end of the file,
  /// or the start of an empty text list, which GStreamer writes after the samples.
  func endOfSamples() throws(SoundFileError) -> Int64 {
    let list: [UInt8] = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
    guard layout.samples == "data", layout.sizeBytes == 4 else { return file.end }
    return try file.bytes(at: file.end - Int64(list.count), upTo: list.count) == list
      ? file.end - Int64(list.count) : file.end
  }

  /// Returns whether the file would be a valid RF64 file if it had a `ds64` chunk. The file must be
  /// RIFF without this chunk, and RF64 must support the format of its samples.
  func canBecomeLarge() throws(SoundFileError) -> Bool {
    guard try file.bytes(at: 0, upTo: 4) == Array("RIFF".utf8), try offset(of: "ds64") == nil,
      let format = try content(of: "fmt ", upTo: 1 << 12)
    else { return false }
    return WaveFormat(format, isSwapped: false)?.fitsLargeFile == true
  }

  /// Returns whether the stated size of the samples means "to the end of the file". Some values are
  /// known to have this meaning. Another value has it under three conditions: it is just below 2 or
  /// 4 GiB, the samples would reach past the end of the file, and the file length in the header
  /// agrees with the value. The length 2³² − 1 agrees with every smaller size of the samples.
  private func isUnknown(_ size: Int64, from start: Int64, head: [UInt8]) -> Bool {
    if layout.unknown.contains(size) { return true }
    guard layout.samples == "data", layout.sizeBytes == 4, head.count == 8, start + size > file.end,
      [Int64(1) << 31, 1 << 32].contains(where: { ($0 - 1 << 16..<$0).contains(size) })
    else { return false }
    let whole = layout.size(head)
    let claimsAll = whole == Int64(UInt32.max) && size < whole
    return claimsAll || abs(whole + 8 - (start + size)) <= 1
  }

  /// Returns the offset of a chunk's content, or nil if there is no chunk with this name.
  func offset(of name: String) throws(SoundFileError) -> Int64? { try chunk(name)?.lowerBound }

  /// Returns the content of a chunk. Returns nil if there is no chunk with this name, or if its
  /// content has more than `most` bytes.
  func content(of name: String, upTo most: Int) throws(SoundFileError) -> [UInt8]? {
    guard let range = try chunk(name), range.count <= most else { return nil }
    return try file.bytes(at: range.lowerBound, upTo: range.count)
  }

  private func chunk(_ name: String) throws(SoundFileError) -> Range<Int64>? {
    try search { chunk, offset in
      guard chunk.name(at: 0) == name else { return nil }
      let start = offset + Int64(layout.headBytes)
      return start..<start + max(0, min(layout.content(chunk), file.end - start))
    }
  }

  /// Returns whether the bytes at `offset` look like a chunk that ends within the file, and not
  /// like samples.
  private func isChunk(at offset: Int64) throws(SoundFileError) -> Bool {
    let chunk = try file.bytes(at: offset, upTo: layout.headBytes)
    guard chunk.count == layout.headBytes else { return false }
    let content = layout.content(chunk)
    return chunk.prefix(4).allSatisfy { (0x20..<0x7F).contains($0) } && content >= 0
      && content <= file.end - offset - Int64(layout.headBytes)
  }

  /// Returns the end of the last whole chunk after the samples, including padding. If the file ends
  /// within the next chunk, also returns the stated end of that chunk.
  func wholeChunks(
    behind samples: Int64
  ) throws(SoundFileError) -> (end: Int64, statedEnd: Int64?) {
    var offset = layout.next(after: samples, 0) ?? file.end
    for _ in 0..<Self.most where offset < file.end {
      let head = try file.bytes(at: offset, upTo: layout.headBytes)
      guard head.count == layout.headBytes, Self.isName(head.prefix(4)) else { break }
      let (start, content) = (offset + Int64(layout.headBytes), max(0, layout.content(head)))
      if content > file.end - start {
        let (end, overflow) = start.addingReportingOverflow(content)
        return (offset, overflow ? .max : end)
      }
      offset = layout.next(after: start, content) ?? file.end
    }
    return (min(offset, file.end), nil)
  }

  /// Returns whether the bytes look like the name of a chunk, and not like noise.
  private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80
        && (character.isLetter || character.isNumber || " ()_-.".contains(character))
    }
  }

  /// The maximum number of chunks to read. A broken file may contain any number of chunks.
  private static let most = 4_096

  private struct LargeSize {
    let offset: Int64
    let size: Int64
  }

  /// Returns the size of the samples in an RF64 file, and the offset of this size.
  private func largeSize(at start: Int64) throws(SoundFileError) -> LargeSize? {
    let sizes = try file.bytes(at: start, upTo: 16)
    return sizes.count == 16
      ? LargeSize(offset: start + 8, size: sizes.number(at: 8, as: Int64.self)) : nil
  }
}

extension SampleExtent {
  /// Returns the range of a file's samples. Returns nil if the container does not state the range,
  /// or if this code does not support the container.
  static func of(_ file: CheckedFile, _ chunks: Chunks?) throws(SoundFileError) -> SampleExtent? {
    if let chunks { return try chunks.sampleExtent() }
    return ofSun(try file.bytes(at: 0, upTo: ChunkLayout.mostHeadBytes))
  }

  /// Returns the range of the samples in a file of Sun or NeXT, or nil for any other file. The
  /// header states the offset and the size of the samples.
  private static func ofSun(_ head: [UInt8]) -> SampleExtent? {
    guard head.count >= 12, [".snd", "dns."].contains(head.name(at: 0)) else { return nil }
    let isSwapped = head.name(at: 0) == "dns."
    let numbers = [4, 8].map { offset in
      let number = head.number(at: offset, as: UInt32.self)
      return Int64(isSwapped ? number : number.byteSwapped)
    }
    return SampleExtent(start: numbers[0], count: numbers[1] == 0xFFFF_FFFF ? nil : numbers[1])
  }
}
