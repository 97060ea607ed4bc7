import Audio
import Files
import Foundation
import Testing

@Suite("A sound file")
struct RoundTripTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("Samples are read back unchanged", arguments: Kind.lossless)
  func roundTrip(_ kind: Kind) throws {
    let path = try write(kind, frames: 9_001)
    let raw = kind.format == .raw ? try kind.settings().stream : nil
    var reader = try SoundFileReader(openFile(path), named: path, raw: raw)
    #expect(reader.frames == 9_001)
    #expect(reader.channels.value == kind.channels)
    #expect(
      try Ramp(kind: kind).read(&reader) == Ramp(kind: kind).samples(0..<(9_001 * kind.channels)))
    try reader.seek(to: 8_000)
    let tail = Ramp(kind: kind).samples((8_000 * kind.channels)..<(9_001 * kind.channels))
    #expect(try Ramp(kind: kind).read(&reader) == tail)
    try reader.seek(to: 10_000)
    #expect(try Ramp(kind: kind).read(&reader).isEmpty)
  }

  @Test("Opus keeps its length", arguments: [8_000, 12_000, 16_000, 24_000, 48_000])
  func opus(_ hertz: Int) throws {
    let kind = Kind(format: .opus, sample: .int16, channels: 1, hertz: hertz)
    let reader = try SoundFileReader(path: write(kind, frames: hertz))
    #expect(reader.frames == FrameCount(hertz))
    #expect(reader.rate.hertz == hertz)
  }

  @Test("Opus pages last a tenth of a second")
  func opusPages() throws {
    let kind = Kind(format: .opus, sample: .int16, channels: 1)
    var writer = try SoundFileWriter(scratch.create("a"), named: "a", kind.settings())
    let noise = (0..<480_000).map { _ in Float.random(in: -0.5...0.5) }
    try writer.write(noise.span.bytes, of: .float32)
    try writer.close()
    let bytes = try contents(of: scratch["a"])
    let pages = bytes.indices.filter { bytes[$0...].starts(with: Array("OggS".utf8)) }
    #expect((95...120).contains(pages.count))
  }

  @Test("Texts are read back", arguments: [FileFormat.wav, .flac, .opus])
  func tags(_ format: FileFormat) throws {
    let tags: SoundFileTags = [
      .title: "Überschrift", .comment: "odd", .date: "2024-05-06", .software: "recorder",
    ]
    let kind = Kind(format: format, sample: .int16)
    var found = try SoundFileReader(path: write(kind, frames: 4_801, tags: tags)).info.tags
    // libsndfile appends its own name to the program's.
    found[.software] = found[.software].map { String($0.prefix(8)) }
    #expect(found == tags)
  }

  @Test("Marks are read back with their labels", arguments: [1, 3, 150])
  func cues(_ count: Int) throws {
    let cues = (0..<count).map { SoundFileCue(at: FrameCount($0 * 10), label: "mark \($0) ü") }
    let path = try write(Kind(format: .wav, sample: .int16), frames: 2_000, cues: cues)
    let info = try SoundFileReader(path: path).info
    #expect(info.cues == cues)
    #expect(info.frames == 2_000)
  }

  @Test("The information contains container, encoding, bits and length")
  func info() throws {
    let path = try write(Kind(format: .flac, sample: .int24Packed), frames: 96_000)
    let info = try SoundFileReader(path: path).info
    #expect(info.container.contains("FLAC"))
    #expect(info.encoding.contains("24 bit"))
    #expect(info.bits == 24)
    #expect(info.duration == .seconds(2))
    #expect(Int(info.bytes) == (try contents(of: path).count))
  }

  @Test("A header is valid at every moment of its updates")
  func update() throws {
    let kind = Kind(format: .wav, sample: .int16)
    var writer = try SoundFileWriter(scratch.create("a.wav"), named: "a.wav", kind.settings())
    for block in 0..<5 {
      #expect(try SoundFileReader(path: scratch["a.wav"]).frames == FrameCount(block * 100))
      try Ramp(kind: kind).write((block * 100)..<((block + 1) * 100), to: &writer)
      // A header that states no length yet means all samples in the file.
      let known = FrameCount(max(block, 1) * 100)
      #expect(try SoundFileReader(path: scratch["a.wav"]).frames == known)
      try writer.updateHeader()
    }
    #expect(writer.framesWritten == 500)
    try writer.close()
  }

  @Test("A stream that a format cannot store is refused before anything is written")
  func refused() throws {
    let refusals: [(Kind, UnsupportedStream)] = [
      (Kind(format: .opus, sample: .int16, hertz: 44_100), .rate(.hz44100)),
      (Kind(format: .flac, sample: .float32), .sample(.float32)),
      (
        Kind(format: .flac, sample: .int16, channels: 9),
        .channels(try #require(ChannelCount(9)))
      ),
      (
        Kind(format: .flac, sample: .int16, hertz: 700_000),
        .rate(try #require(SampleRate(700_000)))
      ),
      (Kind(format: .wav, sample: .float64), .sample(.float64)),
    ]
    for (kind, reason) in refusals {
      #expect(throws: SoundFileError.unsupported(kind.format, reason)) {
        _ = try SoundFileWriter(scratch.create("a"), named: "a", kind.settings())
      }
      #expect(try contents(of: scratch["a"]).isEmpty)
    }
  }

  @Test(
    "The most channels at the highest rate are written, and one more of either is refused",
    arguments: FileFormat.allCases)
  func limits(_ format: FileFormat) throws {
    let (channels, hertz) = (format.mostChannels, format.highestRate)
    for sample in format.samples {
      let most = Kind(format: format, sample: sample, channels: channels, hertz: hertz)
      _ = try write(most, frames: 10)
      let stream = try most.settings().stream
      // Beyond the largest count of channels or the highest rate, the value itself cannot be made.
      if let more = ChannelCount(channels + 1) {
        let wider = StreamFormat(rate: stream.rate, channels: more, sample: sample)
        #expect(throws: SoundFileError.unsupported(format, .channels(more))) {
          try format.check(wider)
        }
      }
      if let faster = SampleRate(hertz + 1) {
        let higher = StreamFormat(rate: faster, channels: stream.channels, sample: sample)
        #expect(throws: SoundFileError.unsupported(format, .rate(faster))) {
          try format.check(higher)
        }
      }
    }
  }

  private func write(
    _ kind: Kind, frames: Int, cues: [SoundFileCue] = [], tags: SoundFileTags = [:]
  ) throws -> String {
    let name = "\(kind.format.suffixes[0])"
    var writer = try SoundFileWriter(scratch.create(name), named: name, kind.settings(tags: tags))
    var start = 0
    while start < frames {
      let end = min(start + 777, frames)
      try Ramp(kind: kind).write(start..<end, to: &writer)
      start = end
    }
    try writer.close(cues: cues)
    return scratch[name]
  }
}
