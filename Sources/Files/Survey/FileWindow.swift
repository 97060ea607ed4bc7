/// A part of a file in memory. It moves with a scan from the beginning of the file to its end.
struct FileWindow {
  let file: CheckedFile
  /// The range of the file to read.
  let range: Range<Int64>
  private var start: Int64 = 0
  private var memory: [UInt8] = []
  /// The number of valid bytes in `memory`.
  private var count = 0

  private static let size = 1 << 17

  init(_ file: CheckedFile, _ range: Range<Int64>) {
    self.file = file
    self.range = range
  }

  /// Reads four bytes as a big-endian number, or returns nil after the end.
  mutating func word(at offset: Int64) throws(SoundFileError) -> UInt32? {
    guard let index = try index(of: offset, count: 4) else { return nil }
    return UInt32(memory[index]) << 24 | UInt32(memory[index + 1]) << 16
      | UInt32(memory[index + 2]) << 8 | UInt32(memory[index + 3])
  }

  /// Reads one byte, or returns nil after the end.
  mutating func byte(at offset: Int64) throws(SoundFileError) -> UInt8? {
    guard let index = try index(of: offset, count: 1) else { return nil }
    return memory[index]
  }

  /// Reads `count` bytes, or fewer at the end.
  mutating func bytes(at offset: Int64, upTo count: Int) throws(SoundFileError) -> [UInt8] {
    let count = Int(max(0, min(Int64(count), range.upperBound - offset)))
    guard count > 0, let index = try index(of: offset, count: count) else { return [] }
    return Array(memory[index..<index + count])
  }

  /// Searches from `offset` for a byte for which `isMeant` returns true. Returns the offset of this
  /// byte, or the end of the range if there is no such byte.
  mutating func offset(
    from offset: Int64, where isMeant: (UInt8) -> Bool
  ) throws(SoundFileError) -> Int64 {
    var offset = offset
    while let index = try index(of: offset, count: 1) {
      for found in index..<count where isMeant(memory[found]) {
        return min(offset + Int64(found - index), range.upperBound)
      }
      offset += Int64(count - index)
    }
    return range.upperBound
  }

  /// Returns the index in `memory` of the byte at `offset`. Loads `count` bytes if necessary.
  /// Returns nil if not all of these bytes are within the range.
  private mutating func index(of offset: Int64, count: Int) throws(SoundFileError) -> Int? {
    guard offset >= range.lowerBound, offset <= range.upperBound - Int64(count) else { return nil }
    if offset < start || offset + Int64(count) > start + Int64(self.count) {
      try load(from: offset, atLeast: count)
      if self.count < count { return nil }
    }
    return Int(offset - start)
  }

  private mutating func load(from offset: Int64, atLeast least: Int) throws(SoundFileError) {
    let size = max(Self.size, least)
    if memory.count < size { memory = [UInt8](repeating: 0, count: size) }
    start = offset
    count = 0
    let wanted = Int(min(Int64(size), range.upperBound - offset))
    count = try file.read(wanted, into: &memory, at: offset)
  }
}
