import Foundation
import Support
import Testing

@Suite("The sound of a tap", .timeLimit(.minutes(10)))
struct TapExcerptTests {
  private let studio: Studio
  private static let tracks = "--track mic=test:tone:440 --track far=test:ramp"

  init() throws { studio = try Studio() }

  /// A script that reads the running take into `NAME.raw` until the end of the take, and its report
  /// into `NAME.json`.
  private func tap(_ name: String, _ options: String = "") -> String {
    """
    "$recorder" tap --json \(options) > \(name).raw 2> \(name).json & taps="$taps $!"
    await [ -s \(name).raw ]

    """
  }

  private static let end = """
    "$recorder" stop -q > /dev/null || echo "stop $?"
    for tap in $taps; do wait "$tap" || echo "tap $?"; done
    """

  /// Checks that a reader has received an exact excerpt of `file` up to its end. Returns the
  /// position of the first frame.
  @discardableResult
  private func expectExcerpt(
    _ name: String, of file: [UInt8], frame: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let text = String(decoding: try studio.scratch.read(name + ".json"), as: UTF8.self)
    let report = try parsed(text)
    let bytes = try studio.scratch.read(name + ".raw")
    let first = try #require(report["position"] as? Int, "\(text)", sourceLocation: sourceLocation)
    #expect(report["lost"] as? Int == 0, "\(text)", sourceLocation: sourceLocation)
    #expect(
      report["frames"] as? Int == bytes.count / frame && bytes.count > frame, "\(text)",
      sourceLocation: sourceLocation)
    let isExcerpt = bytes.elementsEqual(file.dropFirst(first * frame))
    #expect(isExcerpt, "\(text) \(file.count) bytes", sourceLocation: sourceLocation)
    return first
  }

  @Test(
    "is an exact excerpt of the file, at any rate and in any format",
    arguments: [
      ("a.wav", 4), ("-c 1 a.wav", 2), ("-r 44100 a.wav", 4), ("-r 16k -c 1 a.wav", 2),
      ("a.flac", 4), ("-r 16k a.flac", 4), ("a.caf", 4), ("--split 1h a.wav", 4),
    ])
  func excerpt(options: String, frame: Int) throws {
    let outcome = try studio.run(
      "start -q \(options) > /dev/null; \(tap("all"))captured +0.3; \(Self.end)")
    #expect(outcome.output == "", "\(outcome)")
    let file = try #require(options.split(separator: " ").last)
    try expectExcerpt("all", of: #require(try studio.soundBytes(String(file))), frame: frame)
  }

  @Test("has no gap where the take continues in another file")
  func split() throws {
    let outcome = try studio.run(
      """
      start -q a.wav > /dev/null; \(tap("before"))captured +0.2
      "$recorder" split -q > /dev/null; captured +0.2; \(tap("after"))captured +0.2; \(Self.end)
      """)
    #expect(outcome.output == "", "\(outcome)")
    let parts = try ["a.wav", "a-002.wav"].map { try #require(try studio.soundBytes($0)) }
    let first = try expectExcerpt("before", of: parts[0] + parts[1], frame: 4)
    #expect(first * 4 < parts[0].count)
    let second = try expectExcerpt("after", of: parts[0] + parts[1], frame: 4)
    #expect(second * 4 > parts[0].count, "positions are counted across all files")
  }

  @Test("is that of one track, of all tracks or of their mix", arguments: ["", " --separate"])
  func track(option: String) throws {
    let outcome = try studio.run(
      """
      "$recorder" start -q a.wav \(Self.tracks)\(option) > /dev/null
      \(tap("far", "--track far"))\(tap("mic", "--track mic"))\(tap("all"))\
      \(tap("four", "--channels 4"))\(tap("mono", "--channels 1"))\
      \(tap("left", "--track far --channels 1"))captured +0.3; \(Self.end)
      """)
    #expect(outcome.output == "", "\(outcome)")
    if option.isEmpty {
      let all = try #require(try studio.soundBytes("a.wav"))
      try expectExcerpt("all", of: all, frame: 8)
      try expectExcerpt("four", of: all, frame: 8)
      let halves = [Self.half(all, from: 0), Self.half(all, from: 4)]
      try expectExcerpt("mic", of: halves[0], frame: 4)
      try expectExcerpt("far", of: halves[1], frame: 4)
    } else {
      let files = try ["a-mic.wav", "a-far.wav"].map { try #require(try studio.soundBytes($0)) }
      try expectExcerpt("mic", of: files[0], frame: 4)
      try expectExcerpt("far", of: files[1], frame: 4)
      let first = try #require(try position("all"))
      let all = try studio.scratch.read("all.raw")
      #expect(Self.half(all, from: 0).elementsEqual(files[0].dropFirst(first * 4)))
      #expect(Self.half(all, from: 4).elementsEqual(files[1].dropFirst(first * 4)))
    }
    for name in ["mono", "left"] {
      let report = try parsed(String(decoding: studio.scratch.read(name + ".json"), as: UTF8.self))
      let bytes = try studio.scratch.read(name + ".raw").count
      #expect(report["frames"] as? Int == bytes / 2 && bytes > 2, "\(report)")
    }
  }

  private func position(_ name: String) throws -> Int? {
    try parsed(String(decoding: studio.scratch.read(name + ".json"), as: UTF8.self))["position"]
      as? Int
  }

  /// Returns two of the four channels of frames with 16-bit samples, from an offset in each frame.
  private static func half(_ frames: some Collection<UInt8>, from offset: Int) -> [UInt8] {
    let bytes = Array(frames)
    return stride(from: 0, to: bytes.count - 7, by: 8).flatMap { frame in
      bytes[frame + offset..<frame + offset + 4]
    }
  }
}
