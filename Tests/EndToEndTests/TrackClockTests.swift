import Foundation
import Support
import Testing

@Suite("A take whose devices have very different clocks", .timeLimit(.minutes(5)))
struct TrackClockTests {
  private let studio: Studio
  private static let device = "test:ramp@+1000ppm"

  init() throws { studio = try Studio() }

  private func object(_ name: String) throws -> [String: Any] {
    try parsed(String(decoding: try studio.scratch.read(name), as: UTF8.self))
  }

  @Test("has a warning, and the gaps of a track make it incomplete")
  func beyondRange() throws {
    let outcome = try studio.run(
      """
      begin() {
        name=$1; shift
        $recorder start -q "$@" --name $name --rate 8000 --channels 1 --track near=test:ramp \\
          --track far=\(Self.device) $name.wav > /dev/null
      }
      shows() {
        $recorder status $1 --json > $1.json
        grep -q '300 ppm' $1.json && grep -q overrun $1.json
      }
      begin strict; begin tolerant --tolerate-gaps; await shows strict; await shows tolerant
      $recorder status strict | tr -s ' \\n' ' '; echo
      for name in strict tolerant; do $recorder stop $name --json > $name-result.json; echo $?; done
      tr -s ' \\n' ' ' < "$state"/sessions/strict.log
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 4, "\(outcome)")
    #expect(lines[1...2] == ["14", "0"], "\(outcome)")
    let words =
      "the clock of the microphone \"\(Self.device)\" is irregular, or differs by more than 300 ppm "
      + "from that of the first track: the track of this device has short gaps"
    #expect(lines[0].contains("Warning " + words) && lines[3].contains(words), "\(outcome)")
    for name in ["strict", "tolerant"] {
      let recordings = try object(name + ".json")["recordings"] as? [[String: Any]]
      #expect(recordings?.first?["warnings"] as? [String] == [words])
      try checkGaps(object(name + "-result.json"))
    }
    let message = try object("strict-result.json")["message"] as? String ?? ""
    #expect(message.hasPrefix("0:00.0"), "\(message)")
    let lost = " of the microphone \"\(Self.device)\" were lost, and its track is silent there"
    #expect(message.hasSuffix(lost), "\(message)")
    #expect(try object("tolerant-result.json")["message"] == nil)
  }

  /// Checks that only the second track has gaps, of 5 ms each. The first one comes after 8 s.
  private func checkGaps(_ result: [String: Any]) throws {
    let tracks = try #require(result["tracks"] as? [[String: Any]])
    try #require(tracks.count == 2)
    #expect((tracks[0]["gaps"] as? [Any] ?? []).isEmpty, "\(result)")
    let gaps = try #require(tracks[1]["gaps"] as? [[String: Any]])
    #expect(gaps.allSatisfy { $0["cause"] as? String == "overrun" }, "\(result)")
    #expect((40...400).contains(gaps.compactMap { $0["length"] as? Int }.reduce(0, +)), "\(result)")
    let frames = try #require(result["frames"] as? [String: Int])
    #expect(frames["lost"] == 0 && result["reason"] as? String == "stopped", "\(result)")
  }
}
