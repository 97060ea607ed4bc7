/// The kinds of sound files to read.
package enum SoundKinds: Hashable, Sendable {
  /// WAV, RF64, BW64, W64, FLAC, Ogg, AIFF, AIFC, AU, CAF and MP3.
  case common
  /// Old and rare ones too, whose readers few people test: only for a process that can do no harm.
  case all
}

/// The kinds of files by their first bytes.
///
/// Akai's MPC files, which begin with two bytes of their own, HTK's, which have no identification, and Sound
/// Designer's, which have it in another file, cannot be distinguished from files without sound.
enum FileMagic: Hashable {
  case wave, wave64, flac, ogg, mpeg
  /// Apple's Core Audio.
  case appleCore
  /// Chunks that a decoder reads well but for a size: AIFF and IFF.
  case chunks
  /// Sun's and NeXT's.
  case sun
  /// Creative's Voice.
  case creative
  /// The speech files of NIST.
  case nist
  /// A kind that a decoder reads by itself.
  case other
  /// A known kind that is not decoded, by its name.
  case foreign(ForeignKind)

  /// The most bytes that `kind` looks at.
  static let count = 192

  /// The kind of a file that begins so; nil where it is unknown.
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
      // A header of 21 bytes with its end mark, and the first packet.
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

  /// ISO 11172-3, 2.4.1.3: eleven set bits, then no value that is reserved.
  static func isMPEGFrame(_ head: [UInt8]) -> Bool {
    guard head.count >= 4 else { return false }
    return MPEGFrameHeader(head[..<4].reduce(0) { $0 << 8 | UInt32($1) }) != nil
  }
}
