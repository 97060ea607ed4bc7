internal import Audio
internal import Linux

/// Marks as chapters in the comments of FLAC, Ogg Vorbis and Opus files.
///
/// mkvtoolnix, ffmpeg and VLC read `CHAPTER001=00:01:30.000` and `CHAPTER001NAME=…` (wiki.xiph.org,
/// Chapter Extension). But libsndfile writes only ten kinds of text, and chapters are not among
/// them. So libsndfile first writes a placeholder: a licence text of the same size as the chapters.
/// At the end, the chapters replace this text. Because the size is the same, no other data has to
/// be moved.
enum VorbisChapters {
  /// Returns the licence text that reserves space for these chapters.
  static func placeholder(for chapters: [SoundFileCue], at rate: SampleRate) -> String {
    String(repeating: "-", count: list(chapters, at: rate).bytes.count - 4 - key.utf8.count)
  }

  private static let key = "LICENSE="

  /// Returns the encoded comments and their number. Each comment follows its length.
  static func list(
    _ chapters: [SoundFileCue], at rate: SampleRate
  ) -> (bytes: [UInt8], count: Int) {
    var bytes: [UInt8] = []
    for (index, chapter) in chapters.enumerated() {
      let number = zeroPadded(index + 1, to: 3)
      let name = String(decoding: chapter.label.utf8.filter { $0 != 0 }, as: UTF8.self)
      for text in ["CHAPTER\(number)=\(time(chapter.frame, rate))", "CHAPTER\(number)NAME=\(name)"]
      {
        bytes.append(little: UInt32(text.utf8.count))
        bytes += Array(text.utf8)
      }
    }
    return (bytes, 2 * chapters.count)
  }

  /// Returns the time of a frame, rounded to the nearest millisecond, such as `00:01:30.000`.
  private static func time(_ frame: FrameCount, _ rate: SampleRate) -> String {
    let all = (frame.value * 2_000 + Int64(rate.hertz)) / (2 * Int64(rate.hertz))
    let (seconds, milliseconds) = all.quotientAndRemainder(dividingBy: 1_000)
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    let clock = [hours, minute, second].map { zeroPadded($0, to: 2) }.joined(separator: ":")
    return clock + "." + zeroPadded(milliseconds, to: 3)
  }

  /// Replaces the placeholder in a block of comments with the chapters, which have the same size.
  /// Returns nil if there is no such placeholder.
  static func replacing(
    _ comments: VorbisComments, by chapters: [SoundFileCue], at rate: SampleRate
  ) -> [UInt8]? {
    let (list, count) = list(chapters, at: rate)
    guard
      let entry = comments.entries.first(where: {
        $0.count == list.count - 4
          && comments.bytes[$0].prefix(key.utf8.count).elementsEqual(
            key.utf8, by: { $0 & 0xDF == $1 & 0xDF })
      })
    else { return nil }
    var bytes = comments.bytes
    bytes.replaceSubrange((entry.lowerBound - 4)..<entry.upperBound, with: list)
    let total = UInt32(comments.entries.count - 1 + count)
    bytes.replaceSubrange(comments.countField, with: total.littleBytes)
    return bytes
  }

  /// Returns the chapters of a FLAC, Ogg Vorbis or Opus file as marks. Returns none for any other
  /// file.
  static func read(
    from file: CheckedFile, at rate: SampleRate
  ) throws(SoundFileError) -> [SoundFileCue] {
    try CommentLocation(in: file).flatMap { VorbisComments($0.bytes) }.map { read($0, at: rate) }
      ?? []
  }

  /// Replaces the placeholder in a complete file with the chapters.
  static func put(
    _ chapters: [SoundFileCue], in file: CheckedFile, at rate: SampleRate
  ) throws(SoundFileError) {
    if chapters.isEmpty { return }
    guard let location = try CommentLocation(in: file),
      let comments = VorbisComments(location.bytes),
      let bytes = replacing(comments, by: chapters, at: rate)
    else { throw .notRepairable(subject: file.label, .noPlaceholder) }
    var first = 0
    for range in location.ranges {
      let next = first + range.count
      try unsafe file.write(bytes.span.bytes.extracting(first..<next), at: range.lowerBound)
      first = next
    }
    for page in location.pages {
      var bytes = try file.bytes(at: page.lowerBound, upTo: page.count)
      try OggPage.seal(&bytes)
      try unsafe file.write(bytes.span.bytes.extracting(22..<26), at: page.lowerBound + 22)
    }
  }

  /// Returns the chapters in comments, in the order of their numbers.
  static func read(_ comments: VorbisComments, at rate: SampleRate) -> [SoundFileCue] {
    var frames: [Int: FrameCount] = [:]
    var labels: [Int: String] = [:]
    for entry in comments.entries {
      let text = String(decoding: comments.bytes[entry], as: UTF8.self)
      guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = text[..<sign].uppercased()
      guard name.begins(with: "CHAPTER") else { continue }
      let digits = name.dropFirst(7).prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits) else { continue }
      let value = String(text[sign...].dropFirst())
      switch name.dropFirst(7 + digits.count) {
      case "": frames[number] = frame(value, rate)
      case "NAME": labels[number] = value
      default: continue
      }
    }
    return frames.keys.sorted().compactMap { number in
      frames[number].map { SoundFileCue(at: $0, label: labels[number] ?? "") }
    }
  }

  private static func frame(_ time: String, _ rate: SampleRate) -> FrameCount? {
    let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
      hours >= 0, minutes >= 0, seconds >= 0
    else { return nil }
    let all = (hours * 60 + minutes) * 60 + seconds
    guard all < 1e9 else { return nil }
    return FrameCount(Int64((all * Double(rate.hertz)).rounded()))
  }
}

/// A block of comments (Vorbis I, 5.2): the texts of a FLAC, Ogg Vorbis or Opus file.
struct VorbisComments {
  /// The block or packet as stored in the file.
  let bytes: [UInt8]
  /// The range of the field with the number of comments.
  let countField: Range<Int>
  /// The range of each comment, without its length.
  let entries: [Range<Int>]

  /// Parses a packet or a block. The result is nil if its lengths are not consistent.
  init?(_ bytes: [UInt8]) {
    var offset = 0
    for head in ["\u{3}vorbis", "OpusTags"] where bytes.starts(with: head.utf8) {
      offset = head.utf8.count
    }
    func number() -> Int? {
      guard offset + 4 <= bytes.count else { return nil }
      defer { offset += 4 }
      return bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard let vendor = number(), vendor <= bytes.count - offset else { return nil }
    offset += vendor
    countField = offset..<(offset + 4)
    guard let count = number(), count <= (bytes.count - offset) / 4 else { return nil }
    var entries: [Range<Int>] = []
    for _ in 0..<count {
      guard let length = number(), length <= bytes.count - offset else { return nil }
      entries.append(offset..<(offset + length))
      offset += length
    }
    self.bytes = bytes
    self.entries = entries
  }
}

/// The comments of a FLAC, Ogg Vorbis or Opus file, and their position in the file.
private struct CommentLocation {
  /// The ranges of the file that contain the comments.
  private(set) var ranges: [Range<Int64>] = []
  /// The ranges of the Ogg pages that contain the comments.
  private(set) var pages: [Range<Int64>] = []
  private(set) var bytes: [UInt8] = []

  /// The maximum size of comments. FLAC's field for a block's length has 24 bits, and the same
  /// limit is used for Ogg.
  private static let mostBytes = 1 << 24

  /// Finds the comments. The result is nil if the file has none.
  init?(in file: CheckedFile) throws(SoundFileError) {
    let isFound =
      switch try file.bytes(at: 0, upTo: 4) {
      case Array("fLaC".utf8): try findBlock(in: file)
      case Array("OggS".utf8): try findPacket(in: file)
      default: false
      }
    if !isFound { return nil }
  }

  /// Finds the block of comments of a FLAC file.
  private mutating func findBlock(in file: CheckedFile) throws(SoundFileError) -> Bool {
    var offset: Int64 = 4
    while true {
      let head = try file.bytes(at: offset, upTo: 4)
      guard head.count == 4 else { return false }
      let count = head[1...].reduce(0) { $0 << 8 | Int($1) }
      offset += 4
      if head[0] & 0x7F == 4 {
        ranges = [offset..<(offset + Int64(count))]
        bytes = try file.bytes(at: offset, upTo: count)
        return true
      }
      if head[0] & 0x80 != 0 { return false }
      offset += Int64(count)
    }
  }

  /// Finds the second packet of an Ogg file, which contains the comments. This packet can extend
  /// over several pages.
  private mutating func findPacket(in file: CheckedFile) throws(SoundFileError) -> Bool {
    var source = try OggPages(of: file)
    var packet = 0
    while packet < 2, bytes.count < Self.mostBytes, let page = try source.next() {
      var offset = page.content.lowerBound
      for segment in page.segments where packet < 2 {
        if packet == 1 {
          ranges.append(offset..<(offset + Int64(segment)))
          bytes += try file.bytes(at: offset, upTo: Int(segment))
          if pages.last != page.range { pages.append(page.range) }
        }
        offset += Int64(segment)
        if segment < 255 { packet += 1 }
      }
    }
    return packet == 2
  }
}
