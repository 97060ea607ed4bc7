internal import Audio

extension WaveTail {
  /// The marked frames of a tail; chunks that are cut off or unknown are skipped.
  ///
  /// libsndfile drops cues in RF64, and the labels behind the first hundred everywhere.
  static func cues(in tail: [UInt8]) -> [SoundFileCue] {
    var frames: [(identity: UInt32, frame: UInt32)] = []
    var labels: [UInt32: String] = [:]
    for chunk in chunks(of: tail[...]) {
      switch chunk.name {
      case "cue ": frames = points(of: chunk.content)
      case "LIST" where chunk.content.starts(with: "adtl".utf8):
        for label in chunks(of: chunk.content.dropFirst(4)) where label.name == "labl" {
          guard label.content.count >= 4 else { continue }
          let text = label.content.dropFirst(4).prefix { $0 != 0 }
          labels[number(label.content)] = String(decoding: text, as: UTF8.self)
        }
      default: continue
      }
    }
    return frames.map { point in
      SoundFileCue(at: FrameCount(Int64(point.frame)), label: labels[point.identity] ?? "")
    }
  }

  private typealias Chunk = (name: String, content: ArraySlice<UInt8>)

  private static func chunks(of bytes: ArraySlice<UInt8>) -> [Chunk] {
    var chunks: [Chunk] = []
    var rest = bytes
    while rest.count >= 8 {
      let size = Int(number(rest.dropFirst(4)))
      guard size <= rest.count - 8 else { break }
      chunks.append(
        (String(decoding: rest.prefix(4), as: UTF8.self), rest.dropFirst(8).prefix(size)))
      rest = rest.dropFirst(8 + size + size % 2)
    }
    return chunks
  }

  /// Each point has 24 bytes, the first four its identity, the last four its frame.
  private static func points(of content: ArraySlice<UInt8>) -> [(identity: UInt32, frame: UInt32)] {
    let bytes = content.dropFirst(4)
    return stride(from: 0, to: bytes.count - bytes.count % 24, by: 24).map { start in
      let point = bytes.dropFirst(start)
      return (number(point), number(point.dropFirst(20)))
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
