internal import Linux

/// The kinds of sound files to read.
package enum SoundKinds: Hashable, Sendable {
  /// WAV, RF64, BW64, W64, FLAC, Ogg, AIFF, AIFC, AU, CAF and MP3.
  case common
  /// The common kinds, and old and rare kinds. The decoders of the rare kinds are little tested, so
  /// only a confined process may use them.
  case all
}

/// The kind of a file, detected from its first bytes.
///
/// Three kinds cannot be distinguished from files that are not sound: Akai's MPC files have a
/// signature of only two bytes, HTK's files have no signature, and Sound Designer's files have
/// their signature in another file.
enum FileMagic: Hashable {
  case wave, wave64, flac, ogg, mpeg
  /// Apple's Core Audio Format.
  case appleCore
  /// AIFF and IFF. A decoder reads these files correctly if a wrong size in the header is
  /// corrected.
  case chunks
  /// The format of Sun and NeXT.
  case sun
  /// Creative's Voice format.
  case creative
  /// NIST's speech files.
  case nist
  /// Another kind, which a decoder reads without corrections.
  case other
  /// A known kind that is not decoded, with its name.
  case foreign(ForeignKind)

  /// The maximum number of bytes that `kind` reads.
  static let count = 192

  /// Returns the kind of a file with this beginning, or nil if it is unknown.
  static func kind(_ head: [UInt8], among kinds: SoundKinds = .common) -> FileMagic? {
    let known = find(head, common) ?? (kinds == .all ? find(head, rare) : nil)
    return known ?? (isMPEGFrame(head) ? .mpeg : ForeignKind(head).map(FileMagic.foreign))
  }

  typealias Part = (offset: Int, bytes: [UInt8])

  static func matches(_ head: [UInt8], _ pattern: [Part]) -> Bool {
    pattern.allSatisfy { head.dropFirst($0.offset).starts(with: $0.bytes) }
  }

  static func text(_ offset: Int, _ text: String) -> Part { (offset, Array(text.utf8)) }

  private static func find(_ head: [UInt8], _ table: [(FileMagic, [Part])]) -> FileMagic? {
    table.first { matches(head, $0.1) }?.0
  }

  private static let common: [(FileMagic, [Part])] = [
    (.wave, [text(0, "RIFF"), text(8, "WAVE")]),
    (.wave, [text(0, "RIFX"), text(8, "WAVE")]),
    (.wave, [text(0, "RF64"), text(8, "WAVE")]),
    (.wave, [text(0, "BW64"), text(8, "WAVE")]),
    (
      .wave64,
      [
        (0, [0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11]),
        (8, [0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]),
      ]
    ),
    (.flac, [text(0, "fLaC")]),
    (.ogg, [text(0, "OggS")]),
    (.chunks, [text(0, "FORM"), text(8, "AIFF")]),
    (.chunks, [text(0, "FORM"), text(8, "AIFC")]),
    (.sun, [text(0, ".snd")]),
    (.sun, [text(0, "dns.")]),
    (.appleCore, [text(0, "caff")]),
  ]

  /// AVR, IFF, IRCAM, MAT4, MAT5, NIST, PAF, PVF, SDS, VOC, WVE and XI.
  private static let rare: [(FileMagic, [Part])] =
    [
      (.other, [text(0, "2BIT")]),
      (.chunks, [text(0, "FORM"), text(8, "8SVX")]),
      (.chunks, [text(0, "FORM"), text(8, "16SV")]),
      (.other, [(0, [0, 0, 3, 0xE8, 0, 0, 0, 1, 0, 0, 0, 1])]),
      (.other, [(0, [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])]),
      (.other, [text(0, "MATLAB 5.0 MAT-f")]),
      (.nist, [text(0, "NIST_1A\n")]),
      (.other, [text(0, " paf")]),
      (.other, [text(0, "fap ")]),
      (.other, [text(0, "PVF1\n")]),
      // A header of 21 bytes with its end mark, then the first packet.
      (.other, [(0, [0xF0, 0x7E, 0, 1]), (20, [0xF7, 0xF0, 0x7E])]),
      (.creative, [text(0, "Creative Voice F")]),
      (.other, [text(0, "ALawSoundFile**")]),
      (.other, [text(0, "Extended Instrum")]),
    ]
    + (UInt8(1)...4).flatMap { machine -> [(FileMagic, [Part])] in
      [
        (.other, [(0, [0x64, 0xA3, machine, 0])]), (.other, [(0, [0, machine, 0xA3, 0x64])]),
      ]
    }

  /// Whether the bytes are the beginning of an MPEG frame: eleven set bits, then no reserved value
  /// (ISO 11172-3, 2.4.1.3).
  static func isMPEGFrame(_ head: [UInt8]) -> Bool {
    guard head.count >= 4 else { return false }
    return MPEGFrameHeader(head[..<4].reduce(0) { $0 << 8 | UInt32($1) }) != nil
  }
}

/// A kind of file that is known but not decoded. Error messages name it.
struct ForeignKind: Hashable, Sendable {
  /// The name, with an article if necessary.
  let name: String
  /// Whether the file contains sound that other programs can probably decode.
  let holdsSound: Bool

  private init(_ name: String, holdsSound: Bool = true) {
    self.name = name
    self.holdsSound = holdsSound
  }

  /// The kind of a file with this beginning, or nil if it is unknown.
  init?(_ head: [UInt8]) {
    if let name = Self.mpeg4Name(head) {
      self.init(name)
    } else if let entry = Self.sounds.first(where: { FileMagic.matches(head, $0.parts) }) {
      self.init(entry.name)
    } else if let entry = Self.others.first(where: { FileMagic.matches(head, $0.parts) }) {
      self.init(entry.name, holdsSound: false)
    } else if let name = Self.streamName(head) {
      self.init(name)
    } else if let name = Self.textName(head) {
      self.init(name, holdsSound: false)
    } else {
      return nil
    }
  }

  private static func mpeg4Name(_ head: [UInt8]) -> String? {
    guard head.count >= 12, FileMagic.matches(head, [FileMagic.text(4, "ftyp")]) else { return nil }
    return switch String(decoding: head[8..<12], as: UTF8.self) {
    case "M4A ", "M4B ", "M4P ": "MP4 audio (AAC or ALAC)"
    case "qt  ": "a QuickTime file"
    case let brand where brand.begins(with: "3g"): "a 3GP file (AMR or AAC)"
    default: "an MP4 file (usually AAC)"
    }
  }

  /// Returns the name of a stream whose signature is not a sequence of whole bytes.
  private static func streamName(_ head: [UInt8]) -> String? {
    guard head.count > 8 else { return nil }
    if head[0] == 0xFF, head[1] & 0xF6 == 0xF0 { return "AAC audio (ADTS)" }
    if head[0] == 0x56, head[1] & 0xE0 == 0xE0 { return "AAC audio (LATM)" }
    if head[0] == 0x47, head.count > 188, head[188] == 0x47 { return "an MPEG transport stream" }
    return nil
  }

  /// Returns the name of a text file. It checks only the beginning of the file.
  private static func textName(_ head: [UInt8]) -> String? {
    let text = String(decoding: head, as: UTF8.self).lowercased()
    let trimmed = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    if ["<!doctype", "<html", "<?xml"].contains(where: { trimmed.begins(with: $0) }) {
      return "an HTML page"
    }
    let isText = head.allSatisfy { (0x20..<0x7F).contains($0) || (9...13).contains($0) }
    return isText && !head.isEmpty ? "a text file" : nil
  }

  private typealias Entry = (name: String, parts: [FileMagic.Part])

  private static func entry(_ name: String, _ text: String, at offset: Int = 0) -> Entry {
    (name, [FileMagic.text(offset, text)])
  }

  private static let sounds: [Entry] =
    [
      (name: "WMA audio (ASF)", parts: [(0, [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11])]),
      (name: "a WebM or Matroska file", parts: [(0, [0x1A, 0x45, 0xDF, 0xA3])]),
      entry("WavPack audio", "wvpk"), entry("Monkey's Audio (APE)", "MAC "),
      (name: "AC-3 audio", parts: [(0, [0x0B, 0x77])]),
      (name: "DTS audio", parts: [(0, [0x7F, 0xFE, 0x80, 0x01])]),
      entry("AMR audio", "#!AMR"), entry("TTA audio", "TTA1"), entry("TAK audio", "tBaK"),
      entry("Musepack audio", "MPCK"), entry("Musepack audio", "MP+"),
      entry("DSD audio (DSF)", "DSD "), entry("DSD audio (DSDIFF)", "FRM8"),
      entry("OptimFROG audio", "OFR "), entry("RealAudio", ".RMF"),
      (name: "RealAudio", parts: [(0, [0x2E, 0x72, 0x61, 0xFD])]),
      entry("a Flash video", "FLV"), entry("Shorten audio", "ajkg"),
      (name: "an AVI file", parts: [FileMagic.text(0, "RIFF"), FileMagic.text(8, "AVI ")]),
      entry("LPAC or ALS audio", "ALS\0"),
      (name: "an MPEG program stream", parts: [(0, [0, 0, 1, 0xBA])]),
      entry("a QuickTime file", "moov", at: 4), entry("a QuickTime file", "mdat", at: 4),
      entry("a QuickTime file", "wide", at: 4),
      entry("an Impulse Tracker module", "IMPM"), entry("a FastTracker module", "Extended Module"),
      entry("SoX's own format", ".SoX"), entry("SoX's own format", "XoS."),
      (name: "TrueHD audio", parts: [(4, [0xF8, 0x72, 0x6F])]),
    ]

  /// Files without sound that are often found among sound files.
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
    entry("a script", "#!/"), entry("a RAR archive", "Rar!"),
    (
      name: "a MIDI file, which contains notes",
      parts: [FileMagic.text(0, "RIFF"), FileMagic.text(8, "RMID")]
    ),
    entry("a MIDI file, which contains notes", "MThd"),
    entry("a SoundFont", "sfbk", at: 8),
    entry("a playlist", "#EXTM3U"),
    entry("a playlist", "[playlist]"),
    (name: "a WebP picture", parts: [FileMagic.text(0, "RIFF"), FileMagic.text(8, "WEBP")]),
  ]
}
