import Foundation
import Support
import Testing

@Suite("A failing system call of a session", .timeLimit(.minutes(15)))
struct CallFaultTests {
  let studio: Studio
  let library: String

  init() throws {
    studio = try Studio()
    library = try studio.library("fault")
  }

  private static let kinds = [
    "EIO:once", "ENOSPC:sticky", "EINTR:once", "short:once", "EDQUOT:sticky", "short:sticky",
    "EIO:sticky", "ENOSPC:once",
  ]

  /// The calls that fail. A long run has every third of the first sixty writes, ten later ones and
  /// five of each other call; a short run has some of them.
  private static var faults: [String] {
    var later = SeededGenerator(seed: 8)
    let writes =
      isThorough
      ? Array(stride(from: .random(in: 1...3), through: 60, by: 3))
        + (0..<10).map { _ in Int.random(in: 61...180, using: &later) }
      : [2, 3, 5, 8, 17, 40]
    let others = isThorough ? Array(1...5) : [1, 3]
    let failing = writes.enumerated().map { index, number in
      "pwrite:\(number):\(kinds[(index + number / 8) % kinds.count])"
    }
    return failing
      + ["fsync", "fdatasync", "rename", "close", "write"].flatMap { call in
        others.flatMap { number in
          (isThorough ? ["EIO:once", "EIO:sticky", "EINTR:once"] : ["EIO:once"]).map {
            "\(call):\(number):\($0)"
          }
        }
      }
  }

  @Test(
    "is corrected, or reported with a non-zero code, and the written frames are kept",
    arguments: isThorough ? ["wav", "flac", "opus", "raw"] : ["wav", "flac"])
  func told(format: String) throws {
    var codes: [Int: Int] = [:]
    let faults = Self.faults
    for first in stride(from: 0, to: faults.count, by: 12) {
      let group = Array(faults[first..<min(first + 12, faults.count)])
      let jobs = group.enumerated().map { index, fault in
        """
        { mkdir \(index); FAULT_IN=session FAULT=\(fault) LD_PRELOAD=\(library) start -q --period 10ms \
          --duration \(isThorough ? "2s" : "700ms") --name n\(index) \(index)/a.\(format) > \(index)/began 2> \(index)/errors
          code=$?; [ $code = 0 ] && { "$recorder" wait n\(index) --json > \(index)/result 2>> \(index)/errors; code=$?; }
          echo $code > \(index)/code; } &
        """
      }
      let outcome = try studio.run(jobs.joined(separator: "\n") + "\nwait", limit: .seconds(120))
      #expect(outcome.code == 0, "\(outcome)")
      for (index, fault) in group.enumerated() {
        let code = try expectHonest(index, fault, format)
        codes[code, default: 0] += 1
      }
      try studio.run("rm -r \(group.indices.map(String.init).joined(separator: " "))")
    }
    print("\(format): of \(faults.count) faults none was silent; codes: \(codes)")
  }

  private func expectHonest(_ index: Int, _ fault: String, _ format: String) throws -> Int {
    let about = "\(format) \(fault)"
    let code = try #require(Int(try studio.run("cat \(index)/code").output.dropLast()), "\(about)")
    let errors = try studio.run("cat \(index)/errors").output
    let began = try studio.run("cat \(index)/began").output
    let text = try studio.run("cat \(index)/result 2> /dev/null").output
    let result = text.isEmpty ? [:] : try parsed(text)
    let frames = (result["frames"] as? [String: Int])?["onDisk"]
    if code == 0 {
      let whole = isThorough ? 96_000 : 33_600
      #expect(frames == whole, "\(about)")
      try expectRamp("\(index)/a.\(format)", whole, about)
      return code
    }
    #expect([1, 12, 13, 14, 15].contains(code), "\(about): \(code) \(errors)")
    #expect(!errors.isEmpty || result["message"] != nil || result["error"] != nil, "\(about)")
    guard !began.isEmpty, code != 15 else { return code }
    // The recording had begun, so the written frames exist, and the result has their number.
    let path = try #require(result["path"] as? String, "\(about): \(text) \(errors)")
    try expectRamp(path, frames, about)
    return code
  }

  private func expectRamp(_ path: String, _ count: Int?, _ about: String) throws {
    let numbers = try studio.decoded(path)
    #expect(numbers.count == count, "\(about)")
    if path.contains(".opus") { return }
    #expect(firstBreak(in: numbers) == nil, "\(about)")
  }
}
