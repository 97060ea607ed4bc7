import Foundation
import Support
import Testing

@Suite("A take in several files that is killed", .timeLimit(.minutes(20)))
struct KilledSeriesTests {
  /// Scripts that wait until the moment of a kill. They use the `suffix` of the files.
  private static let moments: [String] = {
    var random = SeededGenerator(seed: 11)
    let anywhere = (0..<(isThorough ? 4 : 1)).map { _ in
      "moment \(Double.random(in: 0.05..<2.5, using: &random))"
    }
    // The second file begins with its part, while the first file ends. `await` is too slow for this
    // moment.
    let atSplit = (0..<(isThorough ? 4 : 2)).map { round in
      """
      until [ -e .a-002.$suffix.part ]; do :; done
      moment \(round == 0 ? 0 : Double.random(in: 0..<0.05, using: &random))
      """
    }
    return anywhere + atSplit
  }()

  @Test(
    "at any moment is recovered, and its series continues with the next free name",
    arguments: ["wav", "flac"], moments)
  func killed(suffix: String, moment: String) throws {
    let studio = try Studio()
    let process = try studio.start("--split 1s a.\(suffix)")
    let killed = try studio.run(
      """
      suffix=\(suffix)
      \(moment)
      kill -KILL \(process)
      ended \(process)
      ls | grep '\\.\(suffix)$' > before; sha256sum $(cat before) > sums 2> /dev/null
      "$recorder" recover . > /dev/null 2>&1
      sha256sum --quiet -c sums > changed 2>&1
      [ -s sums ] && cat changed; ls -A | grep '\\.part'; echo files; ls | grep '\\.\(suffix)$'
      """)
    let lines = killed.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "files", "\(moment): \(killed)")
    let names = Array(lines.dropFirst())
    try expectWhole(names, of: studio, suffix, moment)
    let after = try studio.run(
      """
      start --split 1s --duration 1500ms a.\(suffix) > /dev/null; "$recorder" wait > /dev/null
      ls | grep '\\.\(suffix)$'; sha256sum --quiet -c sums
      """)
    let later = after.output.split(separator: "\n").map(String.init).filter {
      !names.contains($0)
    }
    #expect(later.count == 2 && later.allSatisfy { !$0.contains("recovered") }, "\(after)")
    let latest =
      names.compactMap { $0.firstMatch(of: /^a-(\d+)/).flatMap { Int($0.1) } }.max() ?? 1
    let numbers = later.compactMap { $0.wholeMatch(of: /a-(\d+)\.\w+/).flatMap { Int($0.1) } }
    #expect(numbers.allSatisfy { $0 > latest } && numbers.count == 2, "\(names), \(later)")
    #expect(try studio.decoded(later).joined().elementsEqual(0..<72_000))
  }

  /// Expects that the files are the ramp from its beginning. A FLAC file that was almost complete
  /// may lack its last block.
  private func expectWhole(
    _ names: [String], of studio: Studio, _ suffix: String, _ moment: String
  ) throws {
    let files = try studio.decoded(names).filter { !$0.isEmpty }
      .sorted { $0[0] < $1[0] }
    #expect(!files.isEmpty && files.first?.first == 0, "\(moment): \(names)")
    for file in files { #expect(file.jumps.isEmpty, "\(moment)") }
    for (file, next) in zip(files, files.dropFirst()) {
      let missing = Int(next[0]) - Int(file.last ?? 0) - 1
      #expect((0...(suffix == "flac" ? 4_608 : 0)).contains(missing), "\(moment): \(missing)")
    }
  }

  @Test("has the index of its last file in the sidecar")
  func place() throws {
    let studio = try Studio()
    let process = try studio.start("--split 1s --sidecar always a.wav")
    let outcome = try studio.run(
      """
      await '[ -s .a-003.wav.part ] && [ -e a-002.wav.json ]'; captured 2.5
      kill -KILL \(process); ended \(process)
      "$recorder" recover > /dev/null; cat a-002.wav.json | tr -d '\\n'; echo; cat a-003-recovered.wav.json | tr -d '\\n'
      """)
    let sidecars = try outcome.output.split(separator: "\n").map { try parsed(String($0)) }
    try #require(sidecars.count == 2, "\(outcome)")
    #expect(sidecars.map { $0["segment"] as? Int } == [2, 3], "\(sidecars)")
    // Of a time such as `2026-01-02T03:04:05.678Z`, only the seconds are compared.
    let began = try sidecars.map { sidecar in
      try #require((sidecar["began"] as? String).flatMap { Double($0.dropFirst(17).dropLast()) })
    }
    #expect(abs((began[1] - began[0] + 60).truncatingRemainder(dividingBy: 60) - 1) < 0.05)
  }
}
