import Foundation
import Support
import Testing

@Suite(
  "The comparison with other programs", .requires("RECORDER_PACED_CARD"),
  .requires(package: "libpipewire-0.3"), .timeLimit(.minutes(2)))
struct PeerTests {
  @Test("measures recorder and arecord in one run, and prints a row for each measurement")
  func killed() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let outcome = try sh(
      """
      PATH="$(dirname "$recorder"):$PATH" \(root)/Benchmarks/Reliability/compare-peers \\
        --accident killed --rounds 1 --program recorder --program arecord
      """, environment: ["RECORDER_PERMISSION": nil], limit: .seconds(90))
    let rows = outcome.output.split(separator: "\n").filter { $0.hasPrefix("| SIGKILL") }
    let cells = rows.map { row in
      row.split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
    }
    try #require(outcome.code == 0 && cells.map(\.count) == [2, 2, 2, 2], "\(outcome)")
    #expect(cells[0] == ["all three", "all three"], "\(outcome)")
    #expect(cells[2][0] == "right" || cells[2][0].hasSuffix("too short"), "\(outcome)")
    #expect(cells[3][0].hasSuffix(" ms") && cells[3][1] == "not offered", "\(outcome)")
    let lost = try #require(Int(cells[1][0].prefix { $0.isNumber }), "\(outcome)")
    #expect(lost < 1_500)
  }
}
