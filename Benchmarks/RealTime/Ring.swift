import Audio
import RealTime

/// The ring in one thread, in blocks of 10 ms: what a move of the counts costs on top of the copies.
enum Ring {
  static func run() {
    var ring = SampleRing(capacity: 480_000, bytesPerFrame: 4)
    var writer = ring.writer()
    var reader = ring.reader()
    let block = [UInt8](repeating: 1, count: 480 * 4)
    Stopwatch.report("ring: copy in, look, release", samples: 960) {
      _ = writer.write(block.span.bytes)
      reader.release(reader.frames().byteCount / 4)
    }
    Stopwatch.report("ring: commit and release without a copy", samples: 960) {
      writer.commit(writer.room(upTo: 480).byteCount / 4)
      reader.release(reader.frames().byteCount / 4)
    }
  }
}
