import Foundation
import Linux
import Support
import Testing

@Suite("The sizes of many files")
struct FileSizesTests {
  @Test("are those of each file, in one directory or several", arguments: [3, 5_000])
  func sizes(count: Int) throws {
    let scratch = try ScratchDirectory()
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path(name), withIntermediateDirectories: false)
    }
    var (paths, expected): ([String], [Int64]) = ([], [])
    for number in 0..<count {
      // Two paths in the same directory, then some in others. One of these directories is missing.
      let directory = ["a", "a", "b", "missing", "a"][number % 5]
      // 630 files are enough: after 630 numbers, everything repeats.
      let path = scratch.path("\(directory)/\(number % 630)")
      let isThere = directory != "missing" && number % 7 != 0
      if isThere, number < 630 { try Data(count: number % 90).write(to: URL(filePath: path)) }
      paths.append(path)
      expected.append(isThere ? Int64(number % 90) : -1)
    }
    paths += ["", "no slash", scratch.path("a/x\0y"), scratch.path("link")]
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: "a/1")
    let (sizes, work) = FileSizes.of(paths) { count }
    #expect(sizes.map(\.size) == expected + [-1, -1, -1, 1] && work == count)
    #expect(try sizes.last?.inode == FileStatus(of: scratch.path("a/1")).inode)
    #expect(sizes.allSatisfy { ($0.size < 0) == ($0.inode == 0) })
  }
}
