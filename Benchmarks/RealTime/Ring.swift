import Audio
import RealTime

/// Benchmark of the ring in one thread, in blocks of 10 ms. It shows the cost of updating the
/// counts, in addition to the copies.
enum Ring {
  static func run() {
    var ring = SampleRing(capacity: 480_000, bytesPerFrame: 4)
    var writer = ring.writer()
    var reader = ring.reader()
    let block = [UInt8](repeating: 1, count: 480 * 4)
    Stopwatch.report("ring: copy in, look, release", samples: 960) {
      var room = writer.room(upTo: 480)
      let count = room.byteCount
      block.withUnsafeBytes { block in
        room.withUnsafeMutableBytes { $0.copyMemory(from: .init(rebasing: block[..<count])) }
      }
      writer.commit(count / 4)
      reader.release(reader.frames().byteCount / 4)
    }
    Stopwatch.report("ring: commit and release without a copy", samples: 960) {
      writer.commit(writer.room(upTo: 480).byteCount / 4)
      reader.release(reader.frames().byteCount / 4)
    }
  }
}
