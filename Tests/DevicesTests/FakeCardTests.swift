import Audio
import Foundation
import Linux
import Support
import Testing

@testable import Devices

/// The minutes of sound that pass through each format in each direction.
private let minutes = 10

/// The odd number of frames in a block. A minute is a multiple of it, because the plugin repeats
/// the file after its end.
private let oddBlock = 5_625

@Suite("Ten minutes of known samples", .timeLimit(.minutes(10)))
struct FakeCardTests {
  @Test("are captured bit by bit in every sample format", arguments: SampleFormat.allCases)
  func capture(sample: SampleFormat) throws {
    let format = StreamFormat(rate: .hz48000, channels: .stereo, sample: sample)
    let scratch = try ScratchDirectory()
    var written = KnownBytes()
    var expected = KnownBytes()
    for minute in 1...minutes {
      let file = scratch.path("minute\(minute)")
      try write(&written, format.bytesPerSecond * 60, to: file)
      let device = FakeCard.microphone(file)
      var source = try CaptureDevice(device, DeviceRequest(exactly: format))
      #expect(source.format == format)
      try source.start()
      let matching = try framesMatching(&expected, 60 * 48_000, from: &source)
      try #require(matching == 60 * 48_000, "minute \(minute)")
      try FileManager.default.removeItem(atPath: file)
    }
  }

  @Test("are played bit by bit in every sample format", arguments: SampleFormat.allCases)
  func play(sample: SampleFormat) throws {
    let format = StreamFormat(rate: .hz48000, channels: .stereo, sample: sample)
    let scratch = try ScratchDirectory()
    let pipe = scratch.path("speaker")
    #expect(mkfifo(pipe, 0o600) == 0)
    let listener = Listener(to: pipe)
    var sink = try PlaybackDevice(FakeCard.speaker(pipe), DeviceRequest(exactly: format))
    #expect(sink.format == format)
    var sound = KnownBytes()
    let frames = minutes * 60 * 48_000
    try play(&sound, frames, on: &sink)
    sink.stop()
    _ = consume sink
    #expect(listener.bytesMatching() == frames * format.bytesPerFrame)
  }

  private func write(_ bytes: inout KnownBytes, _ count: Int, to path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try #require(FileHandle(forWritingAtPath: path))
    try bytes.pieces(count) { piece, _ in try file.write(contentsOf: Data(piece)) }
    try file.close()
  }

  /// Reads in odd blocks and returns the number of frames before the first difference.
  private func framesMatching(
    _ expected: inout KnownBytes, _ frames: Int, from source: inout CaptureDevice
  ) throws -> Int {
    let size = source.format.bytesPerFrame
    var block = [UInt8](repeating: 0, count: oddBlock * size)
    var done = 0
    while done < frames {
      guard try source.wait(upTo: .seconds(5), wake: -1) == .ready else { return done }
      var span = block.mutableSpan
      var bytes = span.mutableBytes
      let read = try source.read(into: &bytes)
      guard block.withUnsafeBytes({ expected.matches(.init(rebasing: $0[..<(read.count * size)])) })
      else { return done }
      done += read.count
    }
    return done
  }

  private func play(
    _ sound: inout KnownBytes, _ frames: Int, on sink: inout PlaybackDevice
  ) throws {
    let size = sink.format.bytesPerFrame
    var block = [UInt8](repeating: 0, count: oddBlock * size)
    var done = 0
    while done < frames {
      let count = min(oddBlock, frames - done)
      block.withUnsafeMutableBytes { sound.fill(.init(rebasing: $0[..<(count * size)])) }
      var written = 0
      while written < count {
        try #require(try sink.wait(upTo: .seconds(5), wake: -1) == .ready)
        let rest = block.span.extracting(written * size..<count * size)
        written += try sink.write(rest.bytes)
      }
      done += count
    }
  }
}

/// Compares the bytes from a pipe with the known bytes, on a thread of its own.
private final class Listener: @unchecked Sendable {
  private let group = DispatchGroup()
  // Written by the thread before it leaves the group, read after it has left.
  private var matching = 0

  init(to path: String) {
    DispatchQueue.global().async(group: group) { [self] in
      guard let pipe = try? Descriptor(opening: path) else { return }
      var expected = KnownBytes()
      var block = [UInt8](repeating: 0, count: 65_536)
      while true {
        var span = block.mutableSpan
        var bytes = span.mutableBytes
        guard let count = try? pipe.read(into: &bytes), count > 0 else { return }
        let isSame = block.withUnsafeBytes { expected.matches(.init(rebasing: $0[..<count])) }
        if !isSame { return }
        matching += count
      }
    }
  }

  func bytesMatching() -> Int {
    group.wait()
    return matching
  }
}
