internal import CSndFile
internal import Linux

/// The whole pages of an Ogg file. libogg checks their checksums and skips all other bytes.
@safe struct OggPages: ~Copyable {
  private let file: CheckedFile
  private var sync = unsafe ogg_sync_state()
  /// The offset of the first byte that libogg has not parsed.
  private var offset: Int64 = 0
  /// The offset of the first byte that `fill` has not read.
  private var position: Int64 = 0

  init(of file: CheckedFile) throws(SoundFileError) {
    try SoundFileLibrary.prepare(for: file.label)
    self.file = file
    _ = unsafe sndfile.functions.ogg_sync_init(&sync)
  }

  deinit {
    var sync = unsafe sync
    _ = unsafe sndfile.functions.ogg_sync_clear(&sync)
  }

  /// Returns the next page, or nil at the end of the file.
  mutating func next() throws(SoundFileError) -> OggPage? {
    var found = unsafe ogg_page()
    while true {
      let count = Int64(unsafe sndfile.functions.ogg_sync_pageseek(&sync, &found))
      let start = offset
      offset += abs(count)
      if count > 0 {
        let head = unsafe UnsafeBufferPointer(start: found.header, count: found.header_len)
        return unsafe OggPage(head: Array(head), range: start..<offset)
      }
      if count == 0, try !fill() {
        // The file ends within a page, or these bytes only look like a page. So the search
        // continues at the next byte.
        offset += 1
        if offset >= file.end { return nil }
        position = offset
        _ = unsafe sndfile.functions.ogg_sync_reset(&sync)
      }
    }
  }

  /// Reads the next bytes of the file. Returns false at the end of the file.
  private mutating func fill() throws(SoundFileError) -> Bool {
    let memory = unsafe sndfile.functions.ogg_sync_buffer(&sync, Self.step)
    guard let memory = unsafe memory else {
      throw .library(
        function: "ogg_sync_buffer", subject: file.label, code: 0, words: "Ogg data cannot be read")
    }
    var bytes = unsafe UnsafeMutableRawBufferPointer(start: memory, count: Self.step).mutableBytes
    let count = try file.read(into: &bytes, at: position)
    _ = unsafe sndfile.functions.ogg_sync_wrote(&sync, count)
    position += Int64(count)
    return count > 0
  }

  private static let step = 1 << 16
}

/// One page of an Ogg file (RFC 3533, 6).
struct OggPage {
  /// The page's header, which ends with the sizes of its segments.
  let head: [UInt8]
  /// The range of the page in the file.
  let range: Range<Int64>

  /// Whether the page is the first of its stream.
  var isFirst: Bool { head[5] & 2 != 0 }
  /// Whether the page is the last of its stream.
  var isLast: Bool { head[5] & Self.lastFlag != 0 }
  /// The position at the end of the last packet that ends on the page, or −1 if no packet ends on
  /// the page.
  var granule: Int64 { head.number(at: 6, as: Int64.self) }
  var serial: UInt32 { head.number(at: 14, as: UInt32.self) }
  var sequence: UInt32 { head.number(at: 18, as: UInt32.self) }
  /// The sizes of the page's segments. A packet ends with a segment of less than 255 bytes.
  var segments: ArraySlice<UInt8> { head[27...] }
  /// The range of the page's content in the file.
  var content: Range<Int64> { range.lowerBound + Int64(head.count)..<range.upperBound }

  private static let lastFlag: UInt8 = 4

  /// Returns the patch that makes the page at `offset` the last page of its stream. The stream then
  /// ends at the position `granule`. The patch covers the header fields from the flags to the
  /// checksum.
  static func ending(
    _ page: [UInt8], at offset: Int64, _ granule: Int64
  ) throws(SoundFileError) -> FilePatch {
    var page = page
    page[5] |= lastFlag
    page.replaceSubrange(6..<14, with: granule.bigBytes.reversed())
    try seal(&page)
    return FilePatch(offset: offset + 5, bytes: Array(page[5..<26]))
  }

  /// Updates the checksum of a whole page.
  static func seal(_ page: inout [UInt8]) throws(SoundFileError) {
    try SoundFileLibrary.prepare(for: "libogg")
    let head = 27 + Int(page[26])
    unsafe page.withUnsafeMutableBufferPointer { bytes in
      var parts = unsafe ogg_page(
        header: bytes.baseAddress, header_len: head,
        body: bytes.baseAddress.map { unsafe $0 + head },
        body_len: bytes.count - head)
      unsafe sndfile.functions.ogg_page_checksum_set(&parts)
    }
  }
}
