import Foundation
import Support

/// A logger that ran in a virtual machine of its own, where hours pass in seconds.
struct Soak {
  /// The catalogue's entry of a file.
  struct Take: Decodable {
    let path: String
    let reason: String
    let exit: Int
    let began: String
    let segment: Int
    let frames: Frames
    let gaps: [Gap]
    let exists: Bool?
    let total: Total?

    /// The start time, in seconds since the epoch.
    var begin: Double {
      get throws {
        let whole = try Date(began.prefix(19) + "Z", strategy: .iso8601)
        return whole.timeIntervalSince1970 + (Double(began.dropFirst(19).dropLast()) ?? 0)
      }
    }
  }

  struct Frames: Decodable {
    let elapsed: Int
    let captured: Int
    let lost: Int
    let onDisk: Int
  }

  struct Gap: Decodable {
    let position: Int
    let length: Int
    let cause: String
  }

  struct Total: Decodable {
    let files: Int
    let frames: Frames
  }

  /// A file that still exists.
  struct File: Decodable {
    let path: String
    let frames: Int
  }

  private struct Takes: Decodable { let takes: [Take] }
  private struct Files: Decodable { let files: [File] }

  static let rate = 8_000
  /// The number of intervals that passed: full hours, or shorter ones.
  let count: Int
  /// The length of an interval, in seconds.
  let every: Int
  let kept: Int
  /// The output of the machine, in lines of a word and numbers.
  let said: Booth.Outcome
  let result: Take
  let takes: [Take]
  let files: [File]

  init() throws {
    let environment = ProcessInfo.processInfo.environment
    (count, every, kept) = environment["RECORDER_TEST_EVERY"] == nil ? (4, 600, 2) : (24, 3_600, 6)
    let programs = try environment["RECORDER_PROGRAMS"] ?? Products.directory
    let root = URL(filePath: #filePath).appending(path: "../../..").standardized.path
    let ended = try Tool.run(
      "scripts/vm/run",
      [
        "--icount", "--timeout", "3000", "--", "Tests/VM/in-memory", programs, "Tests/VM/soak",
        "\(count)", "\(every)", "\(kept)",
      ], directory: root, limit: .seconds(3_060))
    said = Booth.Outcome(code: ended.code, output: ended.outputText, errors: ended.errorText)
    let objects = said.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      Data($0.utf8)
    }
    guard ended.code == 0, let first = objects.first, let last = objects.last else {
      throw Broken(outcome: said)
    }
    let decoder = JSONDecoder()
    result = try decoder.decode(Take.self, from: first)
    takes = try decoder.decode(Takes.self, from: last).takes
    files = try objects.dropFirst().dropLast().flatMap {
      try decoder.decode(Files.self, from: $0).files
    }
  }

  /// The error for a machine or a script that failed.
  struct Broken: Error { let outcome: Booth.Outcome }
}
