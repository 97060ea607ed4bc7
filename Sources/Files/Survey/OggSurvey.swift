internal import Audio

/// A scan through the pages of an Ogg file. It finds the links of the file, which follow one
/// another. Each link has its own streams, with their own headers.
///
/// A decoder sees only the pages of one stream of one link, so tags, skeletons and pictures do not
/// disturb it.
struct OggSurvey {
  /// The codec of a stream, detected from the first bytes of content on its first page.
  private enum Codec: Equatable {
    case vorbis
    case opus(channels: Int, family: UInt8)
    case flac
    /// A codec that is not decoded. The value is its name, or nil if the stream contains no sound.
    case foreign(String?)
  }

  private struct Link {
    var codec: Codec?
    var serial: UInt32 = 0
    var view = FileView()
    /// Whether the stream in `view` has ended with a page that is marked as its last page.
    var isEnded = false
    /// Whether the scan has found a page that is not the first page of its stream.
    var hasContent = false
    var channels = 0
    /// The name of a codec that is in the link but is not decoded, or nil if there is none.
    var foreign: String?
  }

  private var window: FileWindow
  private var offset: Int64
  private var links: [Link] = []
  /// Whether the bytes scanned so far end with a whole page.
  private var endsWithPage = false
  /// The offset after the last whole page.
  private var lastEnd: Int64 = 0

  init(_ file: CheckedFile, _ range: Range<Int64>) {
    window = FileWindow(file, range)
    offset = range.lowerBound
  }

  /// Returns the streams of the links. Throws if no link contains sound that this program decodes.
  mutating func survey() throws(SoundFileError) -> SoundSurvey {
    while offset < window.range.upperBound { try step() }
    let label = window.file.label
    var streams = links.compactMap(stream)
    guard !streams.isEmpty else {
      if let foreign = links.lazy.compactMap(\.foreign).first {
        throw .notDecoded(subject: label, kind: foreign, isConvertible: true)
      }
      throw .notSound(subject: label)
    }
    let file = window.file
    var isShort = links.last.map { !$0.isEnded && !endsWithPage } ?? false
    if links.last?.codec == .flac,
      let tail = try FLACTail.find(in: streams[streams.count - 1].view, of: file),
      tail.missing > 0
    {
      try tail.limit(&streams[streams.count - 1], of: file)
      isShort = true
    }
    var survey = SoundSurvey(streams)
    survey.hasSamples = true
    if isShort {
      survey.fault = .cutOff(subject: label, expected: nil, actual: window.range.upperBound)
    } else if !endsWithPage {
      survey.trailingBytes = try FileTail.trailingBytes(of: file, from: lastEnd)
    }
    return survey
  }

  private func stream(_ link: Link) -> SoundStream? {
    let order = ChannelCount(link.channels).flatMap([Speaker].vorbis)
    return switch link.codec {
    case .vorbis: SoundStream(link.view, speakers: order)
    case .opus(_, let family): SoundStream(link.view, speakers: family < 2 ? order : nil)
    case .flac: SoundStream(link.view)
    case .foreign, nil: nil
    }
  }

  private mutating func step() throws(SoundFileError) {
    guard let page = try OggPage(at: offset, in: &window) else {
      endsWithPage = false
      offset = try window.offset(from: offset + 1) { $0 == UInt8(ascii: "O") }
      return
    }
    guard page.range.upperBound <= window.range.upperBound else {
      endsWithPage = false
      offset = window.range.upperBound
      return
    }
    endsWithPage = true
    if page.isFirst {
      try begin(page)
    } else if !links.isEmpty {
      links[links.count - 1].hasContent = true
    }
    if let link = links.last, link.codec != nil, link.serial == page.serial, !link.isEnded {
      let content = page.content.lowerBound + (page.isFirst ? Self.flacHeadBytes : 0)
      let start = link.codec == .flac ? content : offset
      // A broken file may mark several pages of a stream as its first page. Such a page may be
      // shorter than `flacHeadBytes`.
      if start < page.range.upperBound {
        links[links.count - 1].view.append(start..<page.range.upperBound)
      }
      links[links.count - 1].isEnded = page.isLast
      if link.view.isTooFragmented || links.count > Self.mostLinks {
        throw .undecodable(subject: window.file.label, container: "Ogg")
      }
    }
    offset = page.range.upperBound
    lastEnd = offset
  }

  private static let mostLinks = 4_096
  /// The size of the data that an Ogg file adds before native FLAC data: a mark, a version, and a
  /// field with the number of headers.
  private static let flacHeadBytes: Int64 = 9

  /// Processes the first page of a stream. Consecutive first pages belong to one link.
  private mutating func begin(_ page: OggPage) throws(SoundFileError) {
    if links.last?.hasContent ?? true { links.append(Link()) }
    let index = links.count - 1
    guard links[index].codec == nil else { return }
    let head = try window.bytes(at: page.content.lowerBound, upTo: Self.mostHeadBytes)
    switch Self.codec(head) {
    case .foreign(let name): links[index].foreign = links[index].foreign ?? name
    case let codec:
      links[index].codec = codec
      links[index].serial = page.serial
      if case .opus(let channels, _) = codec { links[index].channels = channels }
      if codec == .vorbis, head.count > 11 { links[index].channels = Int(head[11]) }
    }
  }

  private static let mostHeadBytes = 24

  private static func codec(_ head: [UInt8]) -> Codec {
    if head.starts(with: "\u{1}vorbis".utf8) { return .vorbis }
    if head.starts(with: "OpusHead".utf8), head.count > 18 {
      return .opus(channels: Int(head[9]), family: head[18])
    }
    if head.starts(with: "\u{7F}FLAC".utf8) { return .flac }
    let names: [(String, String?)] = [
      ("Speex   ", "Ogg Speex"), ("\u{80}theora", "Ogg Theora video"), ("fishead\0", nil),
      ("PCM     ", "Ogg PCM"), ("CELT    ", "Ogg CELT"), ("BBCD\0", "Ogg Dirac video"),
    ]
    let known = names.first { head.starts(with: $0.0.unicodeScalars.map { UInt8($0.value) }) }
    return .foreign(known.map(\.1) ?? "an Ogg file with an unknown codec")
  }
}

extension OggPage {
  /// The page at `offset`, or nil if there is none. The file may end within the content of the
  /// page.
  fileprivate init?(at offset: Int64, in window: inout FileWindow) throws(SoundFileError) {
    guard try window.word(at: offset) == 0x4F67_6753 else { return nil }
    var head = try window.bytes(at: offset, upTo: 27 + 255)
    guard head.count >= 27, head[4] == 0, head.count >= 27 + Int(head[26]) else { return nil }
    head.removeLast(head.count - 27 - Int(head[26]))
    let size = head[27...].reduce(Int64(head.count)) { $0 + Int64($1) }
    self.init(head: head, range: offset..<offset + size)
  }
}
