import Audio
import RealTime
import Support
import Testing

@Suite("Sample ring")
struct SampleRingTests {
  /// Returns all waiting frames, also across the end of the memory.
  func drain(_ reader: inout SampleRing.Reader, frame: Int, upTo limit: Int = .max) -> [UInt8] {
    var result: [UInt8] = []
    while result.count / frame < limit {
      let part = array(reader.frames(upTo: limit - result.count / frame))
      if part.isEmpty { break }
      reader.release(part.count / frame)
      result += part
    }
    return result
  }

  /// Writes the frames that fit, also across the end of the memory. Returns their number.
  func write(_ frames: [UInt8], frame: Int = 1, to writer: inout SampleRing.Writer) -> Int {
    var done = 0
    while done < frames.count {
      var room = writer.room(upTo: (frames.count - done) / frame)
      let count = room.byteCount
      if count == 0 { break }
      for offset in 0..<count {
        room.storeBytes(of: frames[done + offset], toByteOffset: offset, as: UInt8.self)
      }
      writer.commit(count / frame)
      done += count
    }
    return done / frame
  }

  func array(_ span: RawSpan) -> [UInt8] { span.withUnsafeBytes { Array($0) } }

  @Test("Bytes of waiting frames can be cleared, also at the start of the memory after its end")
  func cleared() {
    var ring = SampleRing(capacity: 3, bytesPerFrame: 2)
    var writer = ring.writer()
    var reader = ring.reader()
    #expect(write([1, 2, 3, 4, 5, 6], frame: 2, to: &writer) == 3)
    #expect(drain(&reader, frame: 2, upTo: 2) == [1, 2, 3, 4])
    #expect(write([7, 8, 9, 10], frame: 2, to: &writer) == 2)
    #expect(reader.frames().byteCount == 2)
    reader.clear(1..<2, of: 1)
    #expect(array(reader.frames()) == [5, 0])
    reader.release(1)
    #expect(reader.frames().byteCount == 4)
    reader.clear(0..<1, of: 1)
    #expect(array(reader.frames()) == [0, 8, 9, 10])
  }

  @Test("Frames come out unchanged, also across the end of the memory")
  func order() {
    var ring = SampleRing(capacity: 7, bytesPerFrame: 3)
    var writer = ring.writer()
    var reader = ring.reader()
    var expected: [UInt8] = [250, 251, 252]
    #expect(write(expected, frame: 3, to: &writer) == 1)
    for round in 0..<20 {
      let frames = (0..<15).map { UInt8(round * 10 + $0) }
      #expect(write(frames, frame: 3, to: &writer) == 5)
      #expect(reader.fill == 6 && writer.free == 1)
      expected += frames
      #expect(drain(&reader, frame: 3, upTo: 5) == Array(expected.prefix(15)))
      expected.removeFirst(15)
    }
  }

  @Test("While the reader keeps up, frames start at the beginning of the memory and are contiguous")
  func restart() {
    var ring = SampleRing(capacity: 7, bytesPerFrame: 1)
    var writer = ring.writer()
    var reader = ring.reader()
    for round in 0..<5 {
      let frames = (0..<5).map { UInt8(round * 10 + $0) }
      #expect(writer.room().byteCount == 7)
      #expect(write(frames, to: &writer) == 5)
      #expect(array(reader.frames(after: 1)) == Array(frames.dropFirst()))
      #expect(array(reader.frames()) == frames)
      reader.release(5)
    }
  }

  @Test("Any order of writing, peeking and reading passes every frame once")
  func anyOrder() {
    var random = SeededGenerator(seed: 18)
    for capacity in [1, 2, 3, 7, 16] {
      var ring = SampleRing(capacity: FrameCount(capacity), bytesPerFrame: 1)
      var writer = ring.writer()
      var reader = ring.reader()
      var waiting: [UInt8] = []
      var next: UInt8 = 0
      for _ in 0..<5_000 {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          let frames = (0..<Int.random(in: 0..<9, using: &random)).map { next &+ UInt8($0) }
          let count = write(frames, to: &writer)
          #expect(count == min(frames.count, capacity - waiting.count))
          waiting += frames.prefix(count)
          next &+= UInt8(count)
        case 1:
          let offset = Int.random(in: 0...waiting.count, using: &random)
          let seen = array(reader.frames(after: offset))
          #expect(seen == Array(waiting.dropFirst(offset).prefix(seen.count)))
          #expect(!seen.isEmpty || offset == waiting.count)
        default:
          let seen = array(reader.frames(upTo: Int.random(in: 0..<5, using: &random)))
          #expect(seen == Array(waiting.prefix(seen.count)))
          reader.release(seen.count)
          waiting.removeFirst(seen.count)
        }
        #expect(reader.fill == waiting.count && writer.free == capacity - waiting.count)
      }
    }
  }

  @Test("A full ring takes only the frames that fit, and reports their number")
  func full() {
    var ring = SampleRing(capacity: 4, bytesPerFrame: 2)
    var writer = ring.writer()
    var reader = ring.reader()
    #expect(write([1, 1, 2, 2, 3, 3], frame: 2, to: &writer) == 3)
    #expect(write([4, 4, 5, 5, 6, 6], frame: 2, to: &writer) == 1)
    #expect(write([7, 7], frame: 2, to: &writer) == 0)
    #expect(writer.room().byteCount == 0)
    #expect(drain(&reader, frame: 2, upTo: 1) == [1, 1])
    #expect(write([8, 8, 9, 9], frame: 2, to: &writer) == 1)
    #expect(drain(&reader, frame: 2) == [2, 2, 3, 3, 4, 4, 8, 8])
  }

  @Test("A device may fill the free space itself, and only a part of it")
  func room() {
    var ring = SampleRing(capacity: 5, bytesPerFrame: 1)
    var writer = ring.writer()
    var reader = ring.reader()
    var room = writer.room(upTo: 3)
    #expect(room.byteCount == 3)
    for offset in 0..<2 {
      room.storeBytes(of: UInt8(offset + 1), toByteOffset: offset, as: UInt8.self)
    }
    writer.commit(2)
    #expect(drain(&reader, frame: 1, upTo: 1) == [1])
    #expect(writer.room().byteCount == 3)
    writer.commit(3)
    #expect(writer.room().byteCount == 1)
  }

  @Test("The reader gets all frames of a writer that was released")
  func abandoned() {
    var ring = SampleRing(capacity: 4, bytesPerFrame: 1)
    var reader = ring.reader()
    do {
      var writer = ring.writer()
      #expect(write([1, 2], to: &writer) == 2)
    }
    #expect(drain(&reader, frame: 1) == [1, 2])
  }

  @Test("More frames than the space or the content, or a second end, is a programming error")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      var ring = SampleRing(capacity: 4, bytesPerFrame: 1)
      var writer = ring.writer()
      writer.commit(5)
    }
    await #expect(processExitsWith: .failure) {
      var ring = SampleRing(capacity: 4, bytesPerFrame: 1)
      var reader = ring.reader()
      reader.release(1)
    }
    await #expect(processExitsWith: .failure) {
      var ring = SampleRing(capacity: 4, bytesPerFrame: 1)
      let first = ring.writer()
      let second = ring.writer()
      _ = first.free + second.free
    }
    await #expect(processExitsWith: .failure) { _ = SampleRing(capacity: 0, bytesPerFrame: 1) }
  }
}
