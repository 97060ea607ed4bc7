internal import Audio

/// A scan through MPEG audio, frame by frame. It is needed because a decoder only estimates the
/// length of a stream that does not state its length.
///
/// A stream ends where the next stream begins: at a frame that states a new length, another rate or
/// another number of channels.
struct MPEGScan {
  private var window: FileWindow
  private var offset: Int64
  private var streams: [MPEGStream] = []
  /// Whether a frame ends at `offset`. If so, the next frame is accepted without a check of the
  /// frames after it.
  private var isAligned = false
  /// The range of an ID3v2 tag before the next stream, or nil if there is none.
  private var tag: Range<Int64>?
  /// The size of a frame in the free format, without its padding.
  private var freeBytes: Int?
  /// The offset after the last frame or tag.
  private var lastEnd: Int64
  /// Whether the file ends within a frame.
  private var isTorn = false

  init(_ file: CheckedFile, _ range: Range<Int64>) {
    window = FileWindow(file, range)
    offset = range.lowerBound
    lastEnd = range.lowerBound
  }

  /// Searches the first `reach` bytes for a frame that is followed by more frames. Returns its
  /// offset, or nil if there is no such frame.
  static func start(
    in file: CheckedFile, _ range: Range<Int64>, reach: Int64
  ) throws(SoundFileError) -> Int64? {
    var scan = MPEGScan(file, range)
    let end = min(range.upperBound, range.lowerBound + reach)
    while scan.offset < end {
      if let header = try scan.header(), try scan.follows(header, 4, mayEnd: false) {
        return scan.offset
      }
      scan.offset = try scan.window.offset(from: scan.offset + 1) { $0 == 0xFF }
    }
    return nil
  }

  /// Returns the streams in the range, or nil if there is no frame.
  mutating func survey() throws(SoundFileError) -> SoundSurvey? {
    while offset < window.range.upperBound { try step() }
    MPEGStream.join(&streams)
    var survey = SoundSurvey(streams.filter { $0.count > 0 }.map(\.stream))
    if survey.streams.isEmpty { return nil }
    survey.hasSamples = true
    let end = window.range.upperBound
    let isShort = isTorn && streams.last.map { $0.missing > 0 } ?? false
    if isShort || streams.contains(where: \.isCutOff) {
      survey.fault = .cutOff(subject: window.file.label, expected: nil, actual: end)
    } else if !isTorn {
      survey.trailingBytes = try FileTail.trailingBytes(of: window.file, from: lastEnd, to: end)
    }
    try keepOldTag(&survey)
    return survey
  }

  private mutating func step() throws(SoundFileError) {
    if let header = try header(), try isBelievable(header) {
      try take(header)
    } else if let length = try ForeignTag.length(at: offset, in: &window), length > 0 {
      let end = min(offset + length, window.range.upperBound)
      if try ForeignTag.isSimpleID3(at: offset, in: &window) { tag = offset..<end }
      offset = end
      lastEnd = end
    } else {
      isAligned = false
      offset = try window.offset(from: offset + 1) { $0 == 0xFF }
    }
  }

  private mutating func header() throws(SoundFileError) -> MPEGFrameHeader? {
    try window.word(at: offset).flatMap(MPEGFrameHeader.init)
  }

  private mutating func isBelievable(_ header: MPEGFrameHeader) throws(SoundFileError) -> Bool {
    if isAligned, let last = streams.last?.header, header.isCompatible(with: last) {
      return bytes(of: header) != nil
    }
    return try follows(header, 2, mayEnd: true)
  }

  private func bytes(of header: MPEGFrameHeader) -> Int? {
    header.bytes ?? freeBytes.map { $0 + header.freePadding }
  }

  /// Returns whether `count` frames of the same kind follow the frame at `offset`. With `mayEnd`,
  /// fewer frames are enough if they end at a tag or at the end of the range.
  private mutating func follows(
    _ header: MPEGFrameHeader, _ count: Int, mayEnd: Bool
  ) throws(SoundFileError) -> Bool {
    var (count, mayEnd) = (count, mayEnd)
    if header.bytes == nil {
      // Frames in the free format are detected by their regular distance. But other data, such as a
      // tone, can be as regular. So these frames are accepted only if the first frame is at the
      // beginning of the range.
      guard offset == window.range.lowerBound || freeBytes != nil else { return false }
      try measureFree(header)
      (count, mayEnd) = (Self.mostFollowers, false)
    }
    var next = offset
    var current = header
    for _ in 0..<count {
      guard let bytes = bytes(of: current) else { return false }
      next += Int64(bytes)
      if next == window.range.upperBound { return mayEnd }
      guard let word = try window.word(at: next), let following = MPEGFrameHeader(word),
        following.isCompatible(with: header)
      else {
        let tag = try ForeignTag.length(at: next, in: &window)
        return mayEnd && tag != nil
      }
      current = following
    }
    return true
  }

  /// Determines the size of frames in the free format, which is the distance to the next frame.
  private mutating func measureFree(_ header: MPEGFrameHeader) throws(SoundFileError) {
    let most = min(window.range.upperBound, offset + Self.mostFreeBytes)
    var next = offset + Self.leastFreeBytes
    freeBytes = nil
    while next < most {
      next = try window.offset(from: next) { $0 == 0xFF }
      if let word = try window.word(at: next), let other = MPEGFrameHeader(word),
        other.isCompatible(with: header)
      {
        freeBytes = Int(next - offset) - header.freePadding
        return
      }
      next += 1
    }
  }

  private static let mostFollowers = 6
  private static let (leastFreeBytes, mostFreeBytes): (Int64, Int64) = (24, 4_608)

  private mutating func take(_ header: MPEGFrameHeader) throws(SoundFileError) {
    guard let bytes = bytes(of: header) else { return offset += 1 }
    let range = offset..<offset + Int64(bytes)
    guard range.upperBound <= window.range.upperBound else {
      offset = window.range.upperBound
      isTorn = true
      return
    }
    offset = range.upperBound
    lastEnd = offset
    isAligned = true
    if let info = try MPEGInfoFrame(header, at: range.lowerBound, in: &window) {
      begin(header, info)
      if info.claimOffset != nil { streams[streams.count - 1].view.append(range) }
      return
    }
    let last = streams.last?.header
    if last.map({ !header.isCompatible(with: $0) }) ?? true {
      begin(header, nil)
    } else if streams[streams.count - 1].isComplete {
      begin(header, nil)
      streams[streams.count - 1].isExcess = true
    }
    streams[streams.count - 1].add(range)
    if streams[streams.count - 1].view.isTooFragmented || streams.count > Self.mostStreams {
      throw .undecodable(subject: window.file.label, container: "MPEG audio")
    }
  }

  private static let mostStreams = 4_096

  private mutating func begin(_ header: MPEGFrameHeader, _ info: MPEGInfoFrame?) {
    streams.append(MPEGStream(header, info, tag: tag))
    tag = nil
  }

  /// Appends an ID3v1 tag to the first stream's view, because a decoder expects it at the end.
  private mutating func keepOldTag(_ survey: inout SoundSurvey) throws(SoundFileError) {
    let end = window.range.upperBound
    let start = end - ForeignTag.oldID3Bytes
    guard start >= window.range.lowerBound, try ForeignTag.isOldID3(at: start, in: &window) else {
      return
    }
    survey.streams[0].view.append(start..<end)
  }
}

/// An MPEG audio stream, built up frame by frame.
private struct MPEGStream {
  let header: MPEGFrameHeader
  var view = FileView()
  /// The number of frames with sound.
  private(set) var count = 0
  /// The size of the largest frame in bytes.
  private var largest: Int64 = 0
  /// Whether the stream consists of frames after the stated end of the previous stream.
  var isExcess = false

  private let claim: Int?
  /// The offset in the view at which a decoder reads the stated length, or nil if no decoder reads
  /// this length.
  private let claimOffset: Int64?

  init(_ header: MPEGFrameHeader, _ info: MPEGInfoFrame?, tag: Range<Int64>?) {
    self.header = header
    if let tag { view.append(tag) }
    claim = info?.claim
    claimOffset = info?.claimOffset.map { [view] in view.count + $0 }
  }

  /// Adds a frame.
  mutating func add(_ range: Range<Int64>) {
    view.append(range)
    count += 1
    largest = max(largest, Int64(range.count))
  }

  /// Whether all stated frames are present.
  var isComplete: Bool { claim.map { count >= $0 } ?? false }

  /// Whether frames are missing. One missing frame is accepted, because GStreamer's xingmux also
  /// counts the info frame that it adds.
  var isCutOff: Bool { missing > 1 }

  /// The number of stated frames that are missing.
  var missing: Int { claim.map { max(0, $0 - count) } ?? 0 }

  /// Joins a stream of a few excess frames with the previous stream. The program that wrote the
  /// previous stream has miscounted its frames.
  static func join(_ streams: inout [MPEGStream]) {
    for index in streams.indices.reversed() where index > 0 {
      let excess = streams[index]
      guard excess.isExcess, excess.count <= mostExcess else { continue }
      streams[index - 1].view.append(excess.view, 0..<excess.view.count)
      streams[index - 1].count += excess.count
      streams.remove(at: index)
    }
  }

  private static let mostExcess = 2

  /// The stream for a decoder, with a correct length.
  var stream: SoundStream {
    var view = view
    if let claimOffset {
      let bytes = UInt32(clamping: count).bigBytes
      var stream = SoundStream(view.replacing(at: claimOffset, with: bytes))
      stream.missing = FrameCount(missing * header.samples)
      return stream
    }
    // libmpg123 estimates the number of frames from the size of the stream and the size of the
    // first frame. The added bytes prevent an estimate that is too low.
    let needed = Int64(count + 1) * (largest + 1)
    view.append(0, times: max(0, needed - view.count))
    return SoundStream(view, frames: FrameCount(count * header.samples))
  }
}
