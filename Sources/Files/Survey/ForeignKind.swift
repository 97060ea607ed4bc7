/// Kinds of files that are known but not decoded, so that a refusal can name them.
enum ForeignKind {
  /// The name of a file that begins so, with an article where it needs one; nil for what is unknown.
  static func name(_ head: [UInt8]) -> String? {
    if let brand = mpeg4Brand(head) { return brand }
    if let name = table.first(where: { FileMagic.matches(head, $0.parts) })?.name { return name }
    if head.count > 1, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return "AAC audio (ADTS)" }
    return isMarkup(head) ? "an HTML page" : nil
  }

  private static func mpeg4Brand(_ head: [UInt8]) -> String? {
    guard head.count >= 12, FileMagic.matches(head, [FileMagic.text(4, "ftyp")]) else { return nil }
    switch String(decoding: head[8..<12], as: UTF8.self) {
    case "M4A ", "M4B ", "M4P ": return "MP4 audio (AAC or ALAC)"
    case "qt  ": return "a QuickTime file"
    case let brand where brand.hasPrefix("3g"): return "a 3GP file (AMR or AAC)"
    case "heic", "mif1", "avif": return "a picture"
    default: return "an MP4 file (usually AAC)"
    }
  }

  private static func isMarkup(_ head: [UInt8]) -> Bool {
    let text = String(decoding: head, as: UTF8.self).lowercased()
    let trimmed = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return ["<!doctype", "<html", "<?xml"].contains { trimmed.hasPrefix($0) }
  }

  private typealias Entry = (name: String, parts: [FileMagic.Part])

  private static func entry(_ name: String, _ text: String, at offset: Int = 0) -> Entry {
    (name, [FileMagic.text(offset, text)])
  }

  private static let table: [Entry] =
    [
      (name: "WMA audio (ASF)", parts: [(0, [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11])]),
      (name: "a WebM or Matroska file", parts: [(0, [0x1A, 0x45, 0xDF, 0xA3])]),
      entry("WavPack audio", "wvpk"), entry("Monkey's Audio (APE)", "MAC "),
      (name: "AC-3 audio", parts: [(0, [0x0B, 0x77])]),
      (name: "DTS audio", parts: [(0, [0x7F, 0xFE, 0x80, 0x01])]),
      entry("a MIDI file (notes, no sound)", "MThd"),
      entry("AMR audio", "#!AMR"), entry("TTA audio", "TTA1"), entry("TAK audio", "tBaK"),
      entry("Musepack audio", "MPCK"), entry("Musepack audio", "MP+"),
      entry("DSD audio (DSF)", "DSD "), entry("DSD audio (DSDIFF)", "FRM8"),
      entry("OptimFROG audio", "OFR "), entry("RealAudio", ".RMF"),
      (name: "RealAudio", parts: [(0, [0x2E, 0x72, 0x61, 0xFD])]),
      entry("a Flash video", "FLV"), entry("Shorten audio", "ajkg"),
      (name: "an AVI file", parts: [FileMagic.text(0, "RIFF"), FileMagic.text(8, "AVI ")]),
      (name: "a WebP picture", parts: [FileMagic.text(0, "RIFF"), FileMagic.text(8, "WEBP")]),
      (
        name: "a MIDI file (notes, no sound)",
        parts: [FileMagic.text(0, "RIFF"), FileMagic.text(8, "RMID")]
      ),
      entry("a SoundFont", "sfbk", at: 8), entry("LPAC or ALS audio", "ALS\0"),
      (name: "an MPEG program stream", parts: [(0, [0, 0, 1, 0xBA])]),
      entry("a QuickTime file", "moov", at: 4), entry("a QuickTime file", "mdat", at: 4),
      entry("a QuickTime file", "wide", at: 4),
      entry("a playlist", "#EXTM3U"), entry("a playlist", "[playlist]"),
      entry("an Impulse Tracker module", "IMPM"), entry("a FastTracker module", "Extended Module"),
    ] + others

  /// Files that hold no sound at all, which end up among sounds all the same.
  private static let others: [Entry] = [
    (name: "a PNG picture", parts: [(0, [0x89, 0x50, 0x4E, 0x47])]),
    (name: "a JPEG picture", parts: [(0, [0xFF, 0xD8, 0xFF])]),
    entry("a GIF picture", "GIF8"), entry("a PDF document", "%PDF"),
    (name: "a ZIP archive", parts: [(0, [0x50, 0x4B, 3, 4])]),
    (name: "a gzip archive", parts: [(0, [0x1F, 0x8B])]),
    (name: "an xz archive", parts: [(0, [0xFD, 0x37, 0x7A, 0x58, 0x5A])]),
    (name: "a Zstandard archive", parts: [(0, [0x28, 0xB5, 0x2F, 0xFD])]),
    entry("a bzip2 archive", "BZh"),
    (name: "a 7z archive", parts: [(0, [0x37, 0x7A, 0xBC, 0xAF])]),
    (name: "a program", parts: [(0, [0x7F, 0x45, 0x4C, 0x46])]),
    entry("a script", "#!/"),
  ]
}
