import Audio
import Testing

@testable import Files

@Suite("The repair of a WAV file")
struct WaveRepairTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let kinds = [
    Kind(format: .wav, sample: .int16), Kind(format: .wav, sample: .int24Packed, channels: 1),
    Kind(format: .wav, sample: .float32, channels: 3),
  ]

  @Test("A finished file cut at any byte keeps every whole frame", arguments: kinds)
  func truncation(_ kind: Kind) throws {
    let whole = try finished(kind, frames: 41)
    let header = WaveHeader(try kind.settings().stream)
    let frame = header.stream.bytesPerFrame
    for size in 0...whole.count {
      let path = try scratch.write(Array(whole.prefix(size)), to: "cut.wav")
      guard size >= header.count else {
        #expect(try repair(path) == .nothing)
        continue
      }
      let frames = min(41, (size - header.count) / frame)
      let found = try repair(path)
      #expect(found.frames == FrameCount(frames), "\(size)")
      #expect(found.wasIntact == (size == whole.count), "\(size)")
      try expectRamp(path, kind, frames: frames)
      #expect(try repair(path).wasIntact, "\(size)")
    }
  }

  @Test("An outdated header states the whole length after the repair", arguments: kinds)
  func stale(_ kind: Kind) throws {
    let whole = try finished(kind, frames: 41, cues: [], tags: [:])
    let header = WaveHeader(try kind.settings().stream)
    let frame = header.stream.bytesPerFrame
    let audio = Array(whole.dropFirst(header.count).prefix(41 * frame))
    for stated in [0, frame, 20 * frame, 41 * frame, 41 * frame + 7, 4_000_000_000] {
      for rest in 0..<frame {
        let bytes = header.bytes(audio: Int64(stated), end: Int64(header.count + stated))
        let path = try scratch.write(bytes + audio + audio.prefix(rest), to: "stale.wav")
        #expect(try repair(path).frames == 41, "\(stated) \(rest)")
        try expectRamp(path, kind, frames: 41)
      }
    }
  }

  @Test("A take killed at any write while it is closed loses nothing", arguments: kinds)
  func closing(_ kind: Kind) throws {
    let log = WriteLog()
    let file = try CheckedFile(scratch.create("a.wav"), named: "a.wav", through: log.calls)
    var writer = try SoundFileWriter(file, kind.settings(tags: [.title: "a"]))
    try Ramp(kind: kind).write(0..<41, to: &writer)
    let recorded = log.count
    try writer.close(cues: [SoundFileCue(at: 3, label: "three")])
    for count in recorded...log.count {
      let path = try scratch.write(log.replay(count), to: "killed.wav")
      #expect(try repair(path).frames == 41)
      try expectRamp(path, kind, frames: 41)
    }
  }

  @Test("A recovery replaces the marks and texts, any number of times")
  func recover() throws {
    let kind = Kind(format: .wav, sample: .int24Packed, channels: 1)
    let path = try scratch.write(finished(kind, frames: 41), to: "a.wav")
    for frame in [FrameCount(7), 8, 8] {
      let cue = SoundFileCue(at: frame, label: "new")
      let file = try CheckedFile(openFile(path), named: path)
      let plan = try #require(try SoundFileRepair.plan(for: file, as: .wav))
      #expect(try plan.carryOut(on: file).frames == 41)
      try WaveRepair.putTail([cue], [.title: "new"], on: file, after: plan)
      let info = try SoundFileReader(path: path).info
      #expect(info.cues == [cue])
      #expect(info.tags == [.title: "new"])
      try expectRamp(path, kind, frames: 41)
    }
  }

  @Test("The file of another program is unchanged")
  func foreign() throws {
    var bytes = try finished(Self.kinds[0], frames: 4)
    bytes[12] = UInt8(ascii: "X")
    let path = try scratch.write(bytes, to: "a.wav")
    #expect(throws: SoundFileError.notRepairable(subject: path, .foreignHeader)) {
      try repair(path)
    }
    #expect(try contents(of: path) == bytes)
  }

  @Test("A small or large header is parsed as it was written")
  func header() throws {
    for kind in Kind.lossless where kind.format == .wav {
      let header = WaveHeader(try kind.settings().stream)
      for audio in [Int64(0), 1_200, 0xFFFF_FF00, 0x1_0000_0000, 1 << 45] {
        let bytes = header.bytes(audio: audio, end: audio + Int64(header.count))
        #expect(bytes.count == header.count)
        #expect(bytes.count <= WaveHeader.mostBytes)
        #expect(WaveHeader(parsing: bytes) == header)
        #expect(header.statedSizes(in: bytes) == (audio, audio + Int64(header.count)))
      }
    }
  }

  private func repair(_ path: String) throws -> Repaired {
    try SoundFileRepair.recover(CheckedFile(openFile(path), named: path), as: .wav)
  }

  private func finished(
    _ kind: Kind, frames: Int, cues: [SoundFileCue] = [SoundFileCue(at: 3, label: "three")],
    tags: SoundFileTags = [.title: "title"]
  ) throws -> [UInt8] {
    var writer = try SoundFileWriter(
      scratch.create("whole.wav"), named: "whole.wav", kind.settings(tags: tags))
    try Ramp(kind: kind).write(0..<frames, to: &writer)
    try writer.close(cues: cues)
    return try contents(of: scratch["whole.wav"])
  }

  private func expectRamp(_ path: String, _ kind: Kind, frames: Int) throws {
    var reader = try SoundFileReader(path: path)
    #expect(reader.frames == FrameCount(frames))
    #expect(
      try Ramp(kind: kind).read(&reader) == Ramp(kind: kind).samples(0..<(frames * kind.channels)))
  }
}
