import Audio
import Foundation
import Testing

@testable import Files

@Suite("Other programs read our WAV files")
struct OtherReadersTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let kinds = Kind.lossless.filter { $0.format == .wav }

  /// The end of a take: closed, or killed between two updates of its header.
  enum Ending: CaseIterable { case closed, killed }

  @Test(
    "Python's wave module", .enabled(if: Tool.isExpected("python3"), "python3 is not installed"),
    arguments: kinds, Ending.allCases)
  func python(_ kind: Kind, _ ending: Ending) throws {
    guard !kind.sample.isFloat, kind.channels <= 2 else { return }
    let path = try make(kind, ending)
    let script = """
      import sys, wave
      w = wave.open(sys.argv[1])
      assert w.getparams()[:4] == tuple(map(int, sys.argv[3:])), w.getparams()
      open(sys.argv[2], "wb").write(w.readframes(1 << 20))
      """
    let parameters = [kind.channels, kind.sample.bytesPerSample, 48_000, 1_000].map(String.init)
    let result = try Tool.run("python3", ["-c", script, path, scratch["raw"]] + parameters)
    #expect(result.status == 0, "\(result.errors)")
    let header = WaveHeader(try kind.settings().stream)
    let audio = try contents(of: path).dropFirst(header.count).prefix(
      1_000 * header.stream.bytesPerFrame)
    #expect(try contents(of: scratch["raw"]).elementsEqual(audio))
  }

  @Test(
    "sox", .enabled(if: Tool.isExpected("sox"), "sox is not installed"),
    arguments: kinds, Ending.allCases)
  func sox(_ kind: Kind, _ ending: Ending) throws {
    let encoding = kind.sample.isFloat ? "floating-point" : "signed-integer"
    let path = try make(kind, ending)
    let arguments = [path, "-t", "raw", "-e", encoding, "-b", "32", scratch["raw"]]
    let result = try Tool.run("sox", ["-D"] + arguments)
    #expect(result.status == 0)
    // sox warns about floats in three channels, also in files of ffmpeg and libsndfile.
    #expect(result.errors.isEmpty || kind.sample.isFloat && kind.channels > 2, "\(result.errors)")
    try expectRamp(kind)
  }

  @Test(
    "ffmpeg, marks and texts too",
    .enabled(if: Tool.isExpected("ffmpeg"), "ffmpeg is not installed"),
    arguments: kinds, Ending.allCases)
  func ffmpeg(_ kind: Kind, _ ending: Ending) throws {
    let path = try make(kind, ending)
    let format = kind.sample.isFloat ? "f32le" : "s32le"
    let arguments = ["-v", "warning", "-y", "-i", path, "-f", format, scratch["raw"]]
    let result = try Tool.run("ffmpeg", arguments)
    #expect(result.status == 0)
    #expect(!result.errors.contains("rror"), "\(result.errors)")
    try expectRamp(kind)
    guard ending == .closed else { return }
    let shown = try Tool.run("ffprobe", ["-v", "error", "-show_chapters", "-show_format", path])
      .output
    for line in [
      "start=10", "start=999", "TAG:title=ten", "TAG:title=last", "TAG:title=Überschrift",
    ] {
      #expect(shown.contains(line + "\n"), "\(shown)")
    }
  }

  @Test(
    "aplay", .enabled(if: Tool.isExpected("aplay"), "aplay is not installed"),
    arguments: kinds, Ending.allCases)
  func aplay(_ kind: Kind, _ ending: Ending) throws {
    let path = try make(kind, ending)
    let configuration = try scratch.write(
      Array("pcm.!default { type null }".utf8), to: "asound.conf")
    let result = try Tool.run("aplay", [path], environment: ["ALSA_CONFIG_PATH": configuration])
    #expect(result.status == 0)
    let names: [SampleFormat: String] = [
      .int16: "Signed 16 bit Little Endian", .int24Packed: "Signed 24 bit Little Endian in 3bytes",
      .int32: "Signed 32 bit Little Endian", .float32: "Float 32 bit Little Endian",
    ]
    let name = try #require(names[kind.sample])
    #expect(result.errors.hasPrefix("Playing WAVE '\(path)' : \(name), Rate 48000 Hz, "))
  }

  private func make(_ kind: Kind, _ ending: Ending) throws -> String {
    let settings = try kind.settings(tags: [.title: "Überschrift"])
    let path = scratch["made.wav"]
    var writer = try SoundFileWriter(scratch.create("making.wav"), named: "making.wav", settings)
    try Ramp(kind: kind).write(0..<1_000, to: &writer)
    try writer.updateHeader()
    if ending == .killed {
      try Ramp(kind: kind).write(1_000..<1_100, to: &writer)
      try FileManager.default.copyItem(atPath: scratch["making.wav"], toPath: path)
    }
    try writer.close(cues: [
      SoundFileCue(at: 10, label: "ten"), SoundFileCue(at: 999, label: "last"),
    ])
    if ending == .closed {
      try FileManager.default.moveItem(atPath: scratch["making.wav"], toPath: path)
    }
    return path
  }

  private func expectRamp(_ kind: Kind) throws {
    let bytes = try contents(of: scratch["raw"])
    let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) }
    #expect(samples == Ramp(kind: kind).samples(0..<(1_000 * kind.channels)))
  }
}
