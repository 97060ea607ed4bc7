/// A part of a file in memory, moved on by whoever goes through the file from its beginning to its end.
struct FileWindow {
  let file: CheckedFile
  /// The bytes that are looked at.
  let range: Range<Int64>
  private var start: Int64 = 0
  private var memory: [UInt8] = []

  private static let size = 1 << 17

  init(_ file: CheckedFile, _ range: Range<Int64>) {
    self.file = file
    self.range = range
  }

  /// Four bytes as a number, the highest first; nil behind the end.
  mutating func word(at place: Int64) throws(SoundFileError) -> UInt32? {
    guard let index = try index(of: place, count: 4) else { return nil }
    return UInt32(memory[index]) << 24 | UInt32(memory[index + 1]) << 16
      | UInt32(memory[index + 2]) << 8 | UInt32(memory[index + 3])
  }

  /// One byte; nil behind the end.
  mutating func byte(at place: Int64) throws(SoundFileError) -> UInt8? {
    guard let index = try index(of: place, count: 1) else { return nil }
    return memory[index]
  }

  /// A few bytes, fewer at the end.
  mutating func bytes(at place: Int64, upTo count: Int) throws(SoundFileError) -> [UInt8] {
    let count = Int(max(0, min(Int64(count), range.upperBound - place)))
    guard count > 0, let index = try index(of: place, count: count) else { return [] }
    return Array(memory[index..<index + count])
  }

  /// The place of the first byte from `place` on that is `byte`, or the end.
  mutating func place(of byte: UInt8, from place: Int64) throws(SoundFileError) -> Int64 {
    try first(from: place) { $0 == byte }
  }

  /// The place of the first byte from `place` on that is not zero, or the end.
  mutating func placeBehindZeros(from place: Int64) throws(SoundFileError) -> Int64 {
    try first(from: place) { $0 != 0 }
  }

  private mutating func first(
    from place: Int64, where isWanted: (UInt8) -> Bool
  ) throws(SoundFileError) -> Int64 {
    var place = place
    while let index = try index(of: place, count: 1) {
      for offset in index..<memory.count where isWanted(memory[offset]) {
        return min(place + Int64(offset - index), range.upperBound)
      }
      place += Int64(memory.count - index)
    }
    return range.upperBound
  }

  /// The index in memory of bytes that are all within the range.
  private mutating func index(of place: Int64, count: Int) throws(SoundFileError) -> Int? {
    guard place >= range.lowerBound, place <= range.upperBound - Int64(count) else { return nil }
    if place < start || place + Int64(count) > start + Int64(memory.count) {
      let most = min(Int64(max(Self.size, count)), range.upperBound - place)
      memory = try file.bytes(at: place, upTo: Int(most))
      start = place
      if memory.count < count { return nil }
    }
    return Int(place - start)
  }
}
