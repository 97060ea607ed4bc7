import Audio
import Foundation
import Support
import Testing

@testable import Files

/// A take as a killed recorder leaves it on the disk, and as a closed one.
struct RepairTake {
  let kind: Kind
  let samples: [Int32]
  /// The file of the killed recorder.
  let killed: [UInt8]
  /// The file of the recorder that closed it.
  let closed: [UInt8]
  /// The decoded samples of `closed`, if they differ from `samples`.
  let decoded: [Float]
  /// The end of each frame or page in the closed file, and the number of audio frames up to it.
  let units: [(end: Int, frames: Int)]

  init(_ kind: Kind, frames: Int, noise: Int32 = 0, in scratch: Scratch) throws {
    self.kind = kind
    let samples = Self.samples(kind, count: frames * kind.channels, noise: noise)
    let log = WriteLog()
    let file = try CheckedFile(scratch.create("take"), named: "take", through: log.calls)
    var settings = try kind.settings(tags: kind.format == .raw ? [:] : [.title: "title"])
    settings.flacLevel = noise == 0 ? 0 : 5
    var writer = try SoundFileWriter(file, settings)
    try writer.write(samples.span.bytes, of: .int32)
    self.samples = samples
    killed = try contents(of: scratch["take"])
    try writer.close()
    closed = try contents(of: scratch["take"])
    if kind.format == .opus {
      var reader = try SoundFileReader(path: scratch["take"])
      decoded = try Self.decoded(&reader)
    } else {
      decoded = []
    }
    switch kind.format {
    case .flac: units = Self.flacUnits(log, frames: frames)
    case .opus: units = Self.oggUnits(closed, rate: kind.hertz)
    default:
      let frame = try kind.settings().stream.bytesPerFrame
      units = (1...frames).map { ($0 * frame, $0) }
    }
  }

  /// Returns the end of the whole part of the closed file if the file ends, or is damaged, at
  /// `size`. Returns nil if that part has no audio.
  func expected(at size: Int) -> (end: Int, frames: Int)? {
    let unit = units.last { $0.end <= size }
    return unit?.frames == 0 ? nil : unit
  }

  private static func samples(_ kind: Kind, count: Int, noise: Int32) -> [Int32] {
    if kind.format == .opus {
      return (0..<count).map { index in
        Int32(sin(Double(index / kind.channels) * 2 * .pi * 440 / Double(kind.hertz)) * 0x2000_0000)
      }
    }
    var random = SeededGenerator(seed: 1)
    let shift = 32 - Int32(kind.sample.significantBits)
    return Ramp(kind: kind).samples(0..<count).map { sample in
      noise == 0 ? sample : sample &+ Int32.random(in: -noise...noise, using: &random) << shift
    }
  }

  /// Returns the ends of the FLAC frames. libsndfile writes each frame with one write, so they
  /// follow from the file sizes after each write, except for writes of headers.
  private static func flacUnits(_ log: WriteLog, frames: Int) -> [(end: Int, frames: Int)] {
    let sizes = Set((1...log.count).map { log.replay($0).count }).sorted()
    let whole = log.replay(log.count)
    let starts = sizes.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] & 0xFE == 0xF8 }
    let block = Int(whole[10]) << 8 | Int(whole[11])
    let ends = starts.dropFirst() + [whole.count]
    return zip(1..., ends).map { ($1, min($0 * block, frames)) }
  }

  private static func oggUnits(_ bytes: [UInt8], rate: Int) -> [(end: Int, frames: Int)] {
    var units: [(end: Int, frames: Int)] = []
    let preSkip = bytes.number(at: 38, as: UInt16.self)
    var offset = 0
    while offset < bytes.count {
      let segments = bytes[(offset + 27)...].prefix(Int(bytes[offset + 26]))
      let granule = bytes.number(at: offset + 6, as: Int64.self)
      offset += 27 + segments.count + segments.reduce(0) { $0 + Int($1) }
      units.append((offset, Int(max(0, granule - Int64(preSkip))) * rate / 48_000))
    }
    return units
  }
}

extension RepairTake {
  /// Recovers `bytes` and expects the audio of the first `size` bytes of the take. Also expects
  /// that a second recovery changes nothing.
  func expectRecovery(
    of bytes: [UInt8], in scratch: Scratch, whole size: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = try scratch.write(bytes, to: "killed")
    let recovery = try recover(path)
    let repaired = try contents(of: path)
    guard let unit = expected(at: size) else {
      #expect(recovery == .nothing, "\(size)", sourceLocation: sourceLocation)
      #expect(repaired == bytes, "\(size)", sourceLocation: sourceLocation)
      return
    }
    #expect(
      recovery.frames == FrameCount(unit.frames), "\(size)", sourceLocation: sourceLocation)
    #expect(
      recovery.removedBytes == Int64(bytes.count - unit.end), "\(size)",
      sourceLocation: sourceLocation)
    #expect(recovery.wasIntact == (repaired == bytes), sourceLocation: sourceLocation)
    #expect(repaired.count == unit.end, sourceLocation: sourceLocation)
    let again = try recover(path)
    #expect(again.wasIntact && again.frames == recovery.frames, sourceLocation: sourceLocation)
    #expect(try contents(of: path) == repaired, sourceLocation: sourceLocation)
    try expectAudio(path, frames: unit.frames, sourceLocation)
  }

  func recover(_ path: String) throws -> Repaired {
    var calls = FileCalls()
    // Hundreds of files per test need not survive a power cut.
    calls.synchronize = { _ in 0 }
    let file = try CheckedFile(openFile(path), named: path, through: calls)
    return try SoundFileRepair.recover(file, as: kind.format, stream: kind.settings().stream)
  }

  private func expectAudio(_ path: String, frames: Int, _ location: SourceLocation) throws {
    let raw = kind.format == .raw ? try kind.settings().stream : nil
    var reader = try SoundFileReader(openFile(path), named: path, raw: raw)
    #expect(reader.frames == FrameCount(frames), sourceLocation: location)
    if kind.format == .opus {
      let read = try Self.decoded(&reader)
      #expect(read.elementsEqual(decoded.prefix(frames * kind.channels)), sourceLocation: location)
      #expect(distance(of: read) < 0.03, sourceLocation: location)
    } else {
      let read = try Ramp(kind: kind).read(&reader)
      #expect(read.elementsEqual(samples.prefix(frames * kind.channels)), sourceLocation: location)
    }
  }

  /// Returns the root mean square of the difference between decoded samples and the source.
  private func distance(of floats: [Float]) -> Double {
    let sum = zip(floats, samples).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1) / 0x8000_0000
      return sum + difference * difference
    }
    return (sum / Double(floats.count)).squareRoot()
  }

  private static func decoded(_ reader: inout SoundFileReader) throws -> [Float] {
    var floats: [Float] = []
    while true {
      var block = [Float](repeating: 0, count: 1_000 * reader.channels.value)
      var span = block.mutableSpan
      let count = try reader.read(into: &span)
      if count == 0 { return floats }
      floats += block.prefix(count * reader.channels.value)
    }
  }
}
