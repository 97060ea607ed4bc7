import Foundation
import Support
import Testing

@Suite("The decoder process", .timeLimit(.minutes(10)))
struct DecoderTests {
  private static let order = #"{"format":{"rate":48000,"channels":2,"sample":"FLOAT"}}"#

  @Test("The decoder is confined before it reads, and has only the file and its pipes open")
  func confined() throws {
    let theatre = try Theatre()
    try theatre.ramp("a.wav", frames: 200_000)
    let outcome = try theatre.run(
      """
      mkfifo frames
      "$recorder" decode '\(Self.order)' < a.wav > frames 3> words & decoder=$!
      exec 5< frames
      head -c 65536 <&5 > /dev/null
      grep -E '^(Seccomp|NoNewPrivs):' /proc/$decoder/status | tr -s '\\t' ' '
      grep -E '^Max (open files|file size|data size|cpu time|core)' /proc/$decoder/limits | tr -s ' '
      ls /proc/$decoder/fd | tr '\\n' ' '
      kill -KILL $decoder
      """)
    for line in [
      "NoNewPrivs: 1", "Seccomp: 2", "Max cpu time 10 1073741824 ", "Max file size 0 0 ",
      "Max data size 41943040 41943040 ", "Max core file size 0 0 ", "Max open files 0 0 ",
    ] {
      #expect(outcome.output.contains(line), "\(line) in \(outcome)")
    }
    #expect(outcome.output.hasSuffix("0 1 2 3 "), "\(outcome)")
  }

  private static let words = [
    ("SEGV", "its decoder crashed"), ("XCPU", "it takes too long to decode"),
    ("KILL", "it takes too long to decode"),
  ]

  @Test(
    "If a signal ends the decoder, the play of its file reports it, and other sounds continue",
    arguments: words)
  func ended(signal: String, words: String) throws {
    let theatre = try Theatre()
    try Self.writeSlow(to: theatre.scratch.path("slow.wav"))
    try theatre.run("play click --loop --detach")
    let player = try #require(theatre.studio.processes().first)
    let outcome = try theatre.run(
      """
      play ./slow.wav & waiting=$!
      until decoder=$(pgrep -P \(player) -f 'decode '); do :; done
      kill -\(signal) $decoder
      wait $waiting; echo "code $?"
      """, limit: .seconds(60))
    #expect(outcome.output == "code 16\n", "\(outcome)")
    #expect(outcome.errors.contains(words), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    #expect(try theatre.status()["click"]?["state"] as? String == "playing")
    #expect(theatre.studio.processes() == [player])
  }

  /// Writes a sound that is just short enough to be decoded as a whole, with as many samples as
  /// possible: 29 s of silence with 32 channels at 192 kHz. The file takes no space on the disk.
  private static func writeSlow(to path: String) throws {
    let count = 29 * 192_000 * 64
    var format = WaveBytes.little(1, 2) + WaveBytes.little(32, 2) + WaveBytes.little(192_000, 4)
    format += WaveBytes.little(192_000 * 64, 4) + WaveBytes.little(64, 2) + WaveBytes.little(16, 2)
    let bytes = WaveBytes.file(size: count + 36) {
      $0.chunk("fmt ", format); $0.chunk("data", [], size: count)
    }
    try Data(bytes).write(to: URL(filePath: path))
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.truncate(atOffset: UInt64(bytes.count + count))
    try file.close()
  }
}
