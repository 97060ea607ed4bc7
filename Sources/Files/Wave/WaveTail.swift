internal import Audio

/// The chunks after the samples of a WAV file: marks with their labels, and texts.
///
/// This program writes the chunks itself, because libsndfile accepts cues only before the first
/// sample is written, and drops all cues in RF64.
enum WaveTail {
  /// Returns the chunks in order: `cue `, `LIST` of `adtl`, `LIST` of `INFO`. Empty chunks are
  /// omitted.
  static func bytes(cues: [SoundFileCue], tags: SoundFileTags) -> [UInt8] {
    // A cue's position has 32 bits. A mark beyond 2³² frames is stored only in the sidecar.
    let cues = cues.filter { (0...Int64(UInt32.max)).contains($0.frame.value) }
    let info = infoList(tags)
    var bytes: [UInt8] = []
    if !cues.isEmpty {
      bytes.append(chunk: "cue ", cueChunk(cues))
      bytes.append(chunk: "LIST", labelList(cues))
    }
    if !info.isEmpty { bytes.append(chunk: "LIST", Array("INFO".utf8) + info) }
    return bytes
  }

  /// Returns whether the bytes after the samples begin like one of these chunks, even if the name
  /// of the chunk is cut off.
  static func begins(with bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return false }
    return ["cue ", "LIST"].contains { $0.utf8.starts(with: bytes.prefix(4)) }
  }

  private static func cueChunk(_ cues: [SoundFileCue]) -> [UInt8] {
    var chunk = UInt32(cues.count).littleBytes
    for (index, cue) in cues.enumerated() {
      let frame = UInt32(cue.frame.value)
      chunk.append(little: UInt32(index + 1))
      chunk.append(little: frame)
      chunk.append(name: "data")
      chunk.append(little: UInt64(0))
      chunk.append(little: frame)
    }
    return chunk
  }

  private static func labelList(_ cues: [SoundFileCue]) -> [UInt8] {
    var list = Array("adtl".utf8)
    for (index, cue) in cues.enumerated() {
      list.append(chunk: "labl", UInt32(index + 1).littleBytes + terminated(cue.label))
    }
    return list
  }

  private static func infoList(_ tags: SoundFileTags) -> [UInt8] {
    let names: [(SoundFileTag, String)] = [
      (.title, "INAM"), (.artist, "IART"), (.album, "IPRD"), (.trackNumber, "ITRK"),
      (.genre, "IGNR"), (.date, "ICRD"), (.comment, "ICMT"), (.copyright, "ICOP"),
      (.software, "ISFT"),
    ]
    var list: [UInt8] = []
    for (tag, name) in names {
      guard let text = tags[tag], !text.isEmpty else { continue }
      list.append(chunk: name, terminated(text))
    }
    return list
  }

  /// Returns the text with a NUL at the end. Other NULs are removed, because a reader stops at the
  /// first NUL.
  private static func terminated(_ text: String) -> [UInt8] { text.utf8.filter { $0 != 0 } + [0] }
}

extension WaveTail {
  /// Returns the marks of a tail. Chunks that are cut off or unknown are skipped.
  ///
  /// This program reads the marks itself, because libsndfile drops all cues in RF64. In other
  /// files, libsndfile drops all labels after the first hundred.
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

  /// Returns the points of a `cue ` chunk. Each point has 24 bytes. The first four bytes are its
  /// identity, and the last four bytes are its frame.
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
