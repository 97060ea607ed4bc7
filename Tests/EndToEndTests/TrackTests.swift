import Foundation
import Support
import Testing

@Suite("A take with several tracks", .timeLimit(.minutes(10)))
struct TrackTests {
  private let studio: Studio
  private static let tracks = "--track mic=test:tone:440 --track far=test:ramp"

  init() throws { studio = try Studio() }

  /// Returns the 16-bit samples of each channel.
  private func channels(_ name: String, _ count: Int) throws -> [[Int16]] {
    let bytes = try #require(try studio.soundBytes(name))
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    return (0..<count).map { channel in
      stride(from: channel, to: samples.count, by: count).map { samples[$0] }
    }
  }

  /// Returns the frame numbers in the channels of the ramp.
  private func numbers(_ channels: ArraySlice<[Int16]>) -> [UInt32] {
    guard let low = channels.first, let high = channels.last else { return [] }
    return zip(low, high).map { low, high in
      UInt32(UInt16(bitPattern: low)) | UInt32(UInt16(bitPattern: high)) << 16
    }
  }

  /// Returns the first frame whose tone does not match the number of the ramp, or nil if there is
  /// none.
  private func firstShift(_ tone: [Int16], _ numbers: [UInt32]) -> Int? {
    numbers.indices.first { frame in
      let turn = Double(numbers[frame] % 48_000 * 440 % 48_000) / 48_000
      return tone[frame] != Int16((0.1 * sin(2 * .pi * turn) * 32_768).rounded())
    }
  }

  private func names(_ json: Any?) -> [String] {
    (json as? [[String: Any]] ?? []).map { track in
      let words = [track["name"], track["device"], track["firstChannel"], track["channels"]]
      return words.map { "\($0 ?? "")" }.joined(separator: " ")
    }
  }

  private static let listed = ["mic test:tone:440 1 2", "far test:ramp 3 2"]

  @Test(
    "has each signal in its own channels, in the same frames, also after a pause",
    arguments: ["wav", "flac", "caf"])
  func aligned(ending: String) throws {
    let started = try studio.run("$recorder start a.\(ending) \(Self.tracks)")
    #expect(started.output.contains("Track mic"), "\(started)")
    #expect(started.output.contains("channels 3 and 4, test:ramp"))
    let outcome = try studio.run(
      """
      captured 0.2 && $recorder pause -q --json > paused && captured +0.1 &&
      $recorder resume -q > resumed && $recorder mark -q here > marked && captured +0.2
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let status = try studio.json("status")["recordings"] as? [[String: Any]]
    #expect(names(status?.first?["tracks"]) == Self.listed)
    #expect(status?.first?["channels"] as? Int == 4)
    #expect(try studio.run("$recorder status").output.contains("Track far"))
    let result = try studio.json("stop")
    #expect(names(result["tracks"]) == Self.listed && result["exit"] as? Int == 0)
    let peaks = (result["tracks"] as? [[String: Any]] ?? []).map { $0["peak"] as? Double ?? 0 }
    #expect(peaks.count == 2 && abs((peaks.first ?? 0) + 20) < 0.1, "\(peaks)")
    let channels = try channels("a.\(ending)", 4)
    let numbers = numbers(channels[2...])
    #expect(numbers.first == 0 && numbers.jumps.count == 1)
    #expect(channels[0] == channels[1] && firstShift(channels[0], numbers) == nil)
    #expect(numbers.count == (result["frames"] as? [String: Int])?["onDisk"])
    let info = try studio.json("info a.\(ending)")["files"] as? [[String: Any]]
    #expect(names(info?.first?["tracks"]) == Self.listed)
    #expect(try studio.run("$recorder info @1").output.contains("channels 1 and 2, test:tone:440"))
    let show = try studio.run("$recorder show --height 1 @1 && $recorder show --svg - @1").output
    let shown = show.split(separator: "\n").filter { ["mic", "far"].contains($0) }
    #expect(shown == ["mic", "far"] && show.contains(">far</text>"), "\(show)")
    let takes = try studio.json("takes")["takes"] as? [[String: Any]]
    #expect(names(takes?.first?["tracks"]) == Self.listed)
  }

  @Test(
    "has its tracks in info and takes at any width", .requires(tool: "tmux"), arguments: [40, 80])
  func listed(columns: Int) throws {
    let window = try TerminalWindow(studio, columns: columns)
    try studio.run(
      "$recorder start -q call.wav \(Self.tracks) && captured 0.1 && $recorder stop -q")
    for command in ["info @1", "takes", "takes call"] {
      try window.run("clear; $recorder \(command); echo en''d")
      let lines = try window.wait { $0.hasSuffix("end\n$") || $0.hasSuffix("end\n$ ") }
      let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
      #expect(text.contains("channels 1 and 2, test:tone:440"), "\(command): \(lines)")
      #expect(text.contains("channels 3 and 4, test:ramp"), "\(command): \(lines)")
    }
  }

  @Test("with a shortened file is read up to its end, and the difference is reported")
  func shortened() throws {
    let outcome = try studio.run(
      """
      $recorder start -q --separate a.wav \(Self.tracks) && captured 1 && $recorder stop -q
      $recorder export -q a-far.wav short.wav --to 0.5 && mv short.wav a-far.wav
      timeout 20 $recorder export a-mic.wav both.wav; echo $?
      timeout 20 $recorder show --height 1 a-mic.wav > shown; echo $?
      timeout 20 $recorder info --levels a-mic.wav > told; echo $?
      """)
    #expect(outcome.output.split(separator: "\n").suffix(2) == ["0", "0"], "\(outcome)")
    #expect(outcome.errors.contains("a-far.wav\" has 24000 frames and"), "\(outcome)")
    #expect(try channels("both.wav", 4).allSatisfy { $0.count == 24_000 })
  }

  @Test("keeps its tracks in every file, through a split, a kill and a recovery")
  func killed() throws {
    let outcome = try studio.run(
      """
      pid=$($recorder start --json --split 1h a.wav \(Self.tracks) | number pid)
      captured 0.1 && $recorder split -q > split && captured +0.1 &&
      $recorder pause -q > paused && $recorder resume -q > resumed && captured +0.3
      kill -KILL $pid; ended $pid; $recorder recover --json > recovered; LC_ALL=C ls a*.wav a*.json
      """)
    #expect(
      outcome.output == """
        a-002-recovered.wav
        a-002-recovered.wav.json
        a.wav
        a.wav.json

        """, "\(outcome)")
    for name in ["a", "a-002-recovered"] {
      let bytes = try studio.scratch.read("\(name).wav.json")
      let sidecar = try parsed(String(decoding: bytes, as: UTF8.self))
      #expect(names(sidecar["tracks"]) == Self.listed, "\(name)")
      let channels = try channels("\(name).wav", 4)
      let numbers = numbers(channels[2...])
      #expect(!numbers.isEmpty && firstShift(channels[0], numbers) == nil, "\(name)")
    }
  }

  @Test("is recorded as a mix with --mix, and the file has no tracks then")
  func mixed() throws {
    let outcome = try studio.run(
      """
      $recorder start a.wav --mix --track c=test:ramp \(Self.tracks) > said && captured 0.2 &&
      $recorder stop -q --json
      """)
    let result = try parsed(outcome.output)
    #expect((result["file"] as? [String: Any])?["channels"] as? Int == 2, "\(outcome)")
    #expect(names(result["tracks"]).first == "c test:ramp  ")
    let mix = try channels("a.wav", 2)
    let isMean = mix[0].indices.allSatisfy { frame in
      let turn = Double(frame % 48_000 * 440 % 48_000) / 48_000
      let tone = 0.1 * sin(2 * .pi * turn) * 32_768
      let low = Double(Int16(truncatingIfNeeded: frame))
      return abs(Double(mix[0][frame]) - (2 * low + tone) / 3) <= 2
    }
    #expect(isMean && !mix[0].isEmpty)
    #expect(try studio.run("$recorder export @1 b.wav --track far").code == 10)
  }

  @Test("is exported track by track, sample for sample", arguments: ["wav", "flac"])
  func exported(ending: String) throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.\(ending) \(Self.tracks) && captured 0.3 && $recorder stop -q
      $recorder export -q @1 far.wav --track far && $recorder export -q @1 mic.flac --track mic --mono
      $recorder export -q @1 mix.wav --mix && $recorder export -q @1 cut.wav --track far --from 0.1
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let whole = try channels("a.\(ending)", 4)
    #expect(try channels("far.wav", 2) == Array(whole[2...]))
    #expect(try channels("cut.wav", 2) == whole[2...].map { Array($0.dropFirst(4_800)) })
    let mono = try channels("mic.flac", 1)[0]
    #expect(mono.count == whole[0].count)
    #expect(zip(mono, whole[0]).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    let mix = try channels("mix.wav", 2)
    for side in 0..<2 {
      let means = zip(whole[side], whole[side + 2]).map { (Int($0) + Int($1)) / 2 }
      // Rounding and dither change a sample by at most two steps.
      #expect(zip(mix[side], means).allSatisfy { abs(Int($0) - $1) <= 2 })
    }
  }

  @Test("has aligned tracks of devices whose clocks differ")
  func steered() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav --rate 8000 --channels 1 --track a=test:tone:100 \
        --track b=test:tone:100@+200ppm && captured 0.9 && $recorder stop --json
      """)
    #expect(outcome.code == 0, "\(outcome)")
    let result = try #require(try studio.json("takes")["takes"] as? [[String: Any]]).first
    #expect(names(result?["tracks"]) == ["a test:tone:100 1 1", "b test:tone:100@+200ppm 2 1"])
    let sound = try channels("a.wav", 2)
    #expect(sound[0].count == sound[1].count && sound[0].count > 7_000)
    // 1 ms is 0.6 of the amplitude. The second tone is higher by 200 ppm: 0.11 after 0.9 s.
    let pairs = zip(sound[0], sound[1]).prefix(7_000)
    #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) < 800 })
  }

  @Test(
    "is refused if its options or devices do not fit together",
    arguments: [
      ("--track mic=test:tone --track mic=test:ramp", 64, "two tracks have the name \"mic\""),
      ("--track Mic=test:tone", 64, "\"Mic\" is not a valid track name"),
      ("--track mic", 64, "use a name and a device such as mic=default"),
      ("--track mic=", 64, "the track \"mic\" has no device"),
      ("--track mic=test:tone -d test:ramp", 64, "cannot be combined with --device"),
      ("--track mic=test:tone --select 1", 64, "cannot be combined with --select"),
      (tracks + " --channels 3", 64, "a track has one or two channels"),
      (tracks + " --track c=test:ramp --format opus", 64, "6 channels"),
      ("--track mic=test:tone --track far=hw:77", 12, "no device \"hw:77\""),
      ("--track mic=test:tone --track far=outptu", 12, "did you mean \"output\"?"),
      ("--track mic=test:tone --track far=test:nothing", 12, "test:nothing"),
    ])
  func refused(options: String, code: Int, words: String) throws {
    let outcome = try studio.run("$recorder start \(options); code=$?; ls -A; exit $code")
    #expect(outcome.code == Int32(code) && outcome.errors.contains(words), "\(outcome)")
    #expect(!outcome.output.contains("recording-") && studio.processes().isEmpty)
  }

  @Test("that does not have the exported track is refused with the names of its tracks")
  func missing() throws {
    let outcome = try studio.run(
      """
      $recorder start -q a.wav \(Self.tracks) && captured 0.1 && $recorder stop -q
      $recorder export @1 b.wav --track room
      """)
    #expect(outcome.code == 10 && outcome.errors.contains("it has \"mic\" and \"far\""))
    let mp3 = try studio.run("$recorder export @1 b.mp3")
    let advice = "add --track mic, --track far or --mix"
    #expect(mp3.code == 64 && mp3.errors.contains(advice), "\(mp3)")
    let plain = try studio.run(
      """
      start -q b.wav && captured 0.1 && $recorder stop -q; $recorder export b.wav c.wav --mix; code=$?
      $recorder export a.wav c.wav --mix --track mic; echo $? $code
      """)
    #expect(plain.output.hasSuffix("64 10\n"), "\(plain)")
  }
}
