import Foundation
import Support
import Testing

private let resources = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Resources").path

extension Trait where Self == ConditionTrait {
  fileprivate static var requiresNumPy: Self {
    .enabled(
      if: (try? Tool.run("python3", ["-c", "import numpy"]))?.code == 0,
      "python3-numpy is not installed")
  }
}

@Suite("The bundled sounds", .timeLimit(.minutes(10)))
struct BundledSoundsTests {
  /// The measurements of a bundled sound.
  private struct Sound: Sendable {
    let name: String
    let seconds: Double
    /// The integrated loudness by EBU R 128, in LUFS.
    let loudness: Double
    /// The true peak in dBTP; `peak` is that of the samples.
    let truePeak: Double
    let peak: Double
  }

  private static func index() throws -> [[String: Any]] {
    let data = try Data(contentsOf: URL(filePath: resources + "/index.json"))
    return try parsed(String(decoding: data, as: UTF8.self))["sounds"] as? [[String: Any]] ?? []
  }

  /// Returns what ffmpeg measures in the file of a sound.
  private static func measured(_ name: String) throws -> Sound {
    let outcome = try Tool.run(
      "ffmpeg",
      [
        "-hide_banner", "-nostats", "-i", "\(resources)/Sounds/\(name).wav", "-af",
        "ebur128=peak=true,astats", "-f", "null", "-",
      ])
    let text = outcome.errorText
    func number(after word: String) throws -> Double {
      let start = try #require(text.range(of: word, options: .backwards)).upperBound
      let word = text[start...].drop { $0 == " " }.prefix { !$0.isWhitespace }
      return word == "-inf" ? -.infinity : try #require(Double(word))
    }
    let time = try #require(text.range(of: "Duration: ")).upperBound
    let clock = text[time...].prefix { $0 != "," }.split(separator: ":").compactMap { Double($0) }
    return Sound(
      name: name, seconds: clock.reduce(0) { $0 * 60 + $1 }, loudness: try number(after: " I:"),
      truePeak: try number(after: " Peak:"), peak: try number(after: "Peak level dB:"))
  }

  @Test(
    "There are at least 24, all but two shorter than 3 s, each as loud as the index says",
    .requires(tool: "ffmpeg"))
  func loudness() throws {
    let index = try Self.index()
    #expect(index.count >= 24)
    #expect(index.filter { $0["seconds"] as? Double ?? 9 >= 3 }.count == 2)
    for entry in index {
      let sound = try Self.measured(try #require(entry["name"] as? String))
      #expect(abs(sound.seconds - (entry["seconds"] as? Double ?? 0)) < 0.011, "\(sound)")
      guard let listed = entry["lufs"] as? Double else {
        #expect(sound.seconds < 0.4 && abs(sound.peak - -6) < 0.1, "\(sound)")
        continue
      }
      #expect(sound.seconds >= 0.4 && abs(sound.loudness - listed) <= 0.2, "\(sound)")
      #expect(sound.truePeak <= -1, "\(sound)")
      // A loudness below -20 LUFS is allowed only if the peak prevents more.
      #expect(abs(listed - -20) <= 1 || (listed < -20 && sound.truePeak > -1.3), "\(sound)")
    }
  }

  @Test(
    "The generator makes exactly the same sounds, and no two of them sound alike", .requiresNumPy,
    .requires(tool: "ffmpeg"))
  func generated() throws {
    let outcome = try Tool.run("\(resources)/generate-sounds", ["--check"], limit: .seconds(300))
    #expect(outcome.code == 0, "\(outcome.errorText)")
    #expect(outcome.outputText.contains("sounds are what the formulas give; the most alike"))
  }
}
