internal import CLinux
internal import Glibc

/// Searches text for other text, byte by byte.
///
/// The standard library's `contains(_:)` and `split(separator:)` for strings would link the code of
/// regular expressions. The loader would have to relocate these 2 MB at each start.
extension String {
  /// Returns the range of the first occurrence of `part`, or nil if there is none.
  package func range(of part: String) -> Range<Index>? {
    var start = utf8.startIndex
    while true {
      let rest = utf8[start...]
      if rest.starts(with: part.utf8) {
        return start..<utf8.index(start, offsetBy: part.utf8.count)
      }
      guard start < utf8.endIndex else { return nil }
      start = utf8.index(after: start)
    }
  }

  /// Returns true if the text contains `part`.
  package func holds(_ part: String) -> Bool { range(of: part) != nil }
}

extension [UInt8] {
  /// Returns true if `part` begins at `index`.
  package func holds(_ part: [UInt8], at index: Int) -> Bool {
    index + part.count <= count
      && span.extracting(index..<index + part.count).order(before: part.span) == 0
  }

  /// Returns the range of the first occurrence of `part`, or nil if there is none.
  package func range(of part: [UInt8]) -> Range<Int>? {
    indices.first { self[$0...].starts(with: part) }.map { $0..<$0 + part.count }
  }

  /// Returns the index of the first occurrence of `part` within a range, or nil if there is none.
  /// The corresponding C function is `memmem`.
  package func firstIndex(of part: [UInt8], in range: Range<Int>) -> Int? {
    precondition(indices.lowerBound <= range.lowerBound && range.upperBound <= indices.upperBound)
    return unsafe withUnsafeBytes { bytes -> Int? in
      guard !range.isEmpty, let base = bytes.baseAddress else { return nil }
      return unsafe part.withUnsafeBytes { part -> Int? in
        guard let pattern = part.baseAddress,
          let match = unsafe memmem(base + range.lowerBound, range.count, pattern, part.count)
        else { return nil }
        return unsafe UnsafeRawPointer(match) - base
      }
    }
  }
}

extension [UInt8] {
  /// Returns the index of the last occurrence of a byte within a range, or nil if there is none.
  /// The corresponding C function is `memrchr`.
  package func lastIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    precondition(indices.lowerBound <= range.lowerBound && range.upperBound <= indices.upperBound)
    return unsafe withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress,
        let match = unsafe memrchr(base + range.lowerBound, Int32(byte), range.count)
      else { return nil }
      return unsafe UnsafeRawPointer(match) - base
    }
  }
}

extension Span<UInt8> {
  /// Returns the index of the first occurrence of a byte, or nil if there is none. The
  /// corresponding C function is `memchr`.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    unsafe extracting(droppingFirst: start).withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress,
        let match = unsafe memchr(base, Int32(byte), bytes.count)
      else { return nil }
      return unsafe UnsafeRawPointer(match) - base + start
    }
  }
}

/// Returns the names that begin with `typed`, if `typed` has at least two characters. If there are
/// no such names, returns the names with the smallest edit distance, unless all names differ too
/// much.
package func nearestNames(to typed: String, among names: [String]) -> [String] {
  let begun = names.filter { typed.count >= 2 && $0.begins(with: typed) }
  if !begun.isEmpty { return begun }
  let distances = names.map { (name: $0, distance: editDistance(typed, $0)) }
  // The dashes of an option do not count as letters.
  let letters = typed.utf8.drop { $0 == UInt8(ascii: "-") }.count
  let limit = min(3, max(1, letters / 3))
  guard let least = distances.map(\.distance).min(), least <= limit else { return [] }
  return distances.filter { $0.distance == least }.map(\.name)
}

/// Returns the smallest number of insertions, deletions, substitutions and swaps of adjacent
/// letters that turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left)
  let right = Array(right)
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var least = min(last[column + 1], current[column]) + 1
      least = min(least, last[column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        least = min(least, beforeLast[column - 1] + 1)
      }
      current.append(least)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}

/// Many texts that are searched together. They are in one block of memory.
package struct TextColumn: Sendable {
  private var bytes: [UInt8] = []
  /// The index after the separator of each text.
  private var ends: [Int] = []

  /// Creates a column without texts. `capacity` is the expected number of bytes.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// The number of texts.
  package var count: Int { ends.count }

  /// Appends a text in lower case.
  package mutating func append(_ text: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in text.utf8 { bytes.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
    } else {
      bytes += text.lowercased().utf8
    }
    // A searched word never contains this byte, so no match spans two texts.
    bytes.append(0)
    ends.append(bytes.count)
  }

  /// Returns the indices, in ascending order, of the texts that contain all of the words. Without
  /// words, returns all indices.
  package func indices(containingAll words: [String]) -> [Int] {
    let words = words.map { Array($0.lowercased().utf8) }.filter { !$0.isEmpty }
    guard !words.contains(where: { $0.contains(0) }) else { return [] }
    guard let first = words.max(by: { $0.count < $1.count }) else { return Array(0..<count) }
    return indices(containing: first).filter { index in
      words.allSatisfy { bytes.firstIndex(of: $0, in: start(index)..<ends[index]) != nil }
    }
  }

  private func start(_ index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

  private func indices(containing word: [UInt8]) -> [Int] {
    var found: [Int] = []
    var index = 0
    var start = 0
    while let match = bytes.firstIndex(of: word, in: start..<bytes.count) {
      while ends[index] <= match { index += 1 }
      found.append(index)
      start = ends[index]
    }
    return found
  }
}
