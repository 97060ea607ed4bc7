/// Which kinds of sound files are read.
package enum SoundKinds: Hashable, Sendable {
  /// WAV, RF64, W64, FLAC, Ogg, AIFF, AIFC, AU, CAF and MP3.
  case common
  /// Old and rare ones too, whose readers few people test: only for a process that can do no harm.
  case all
}

/// The first bytes of the sound files that are read: what begins otherwise is not decoded at all.
///
/// Akai's MPC files, which begin with two bytes of their own, HTK's, which say nothing of themselves, and Sound
/// Designer's, which say it in another file, cannot be told from what is no sound.
enum FileMagic {
  /// The most bytes that `isKnown` looks at.
  static let count = 24

  /// Whether a file that begins so is one of those kinds.
  static func isKnown(_ head: [UInt8], among kinds: SoundKinds = .common) -> Bool {
    matches(head, common) || isMPEGFrame(head) || kinds == .all && matches(head, rare)
  }

  private typealias Part = (offset: Int, bytes: [UInt8])

  private static func matches(_ head: [UInt8], _ patterns: [[Part]]) -> Bool {
    patterns.contains { pattern in
      pattern.allSatisfy { head.dropFirst($0.offset).starts(with: $0.bytes) }
    }
  }

  private static let common: [[Part]] = [
    [text(0, "RIFF"), text(8, "WAVE")],
    [text(0, "RIFX"), text(8, "WAVE")],
    [text(0, "RF64"), text(8, "WAVE")],
    [
      (0, [0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11]),
      (8, [0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]),
    ],
    [text(0, "fLaC")],
    [text(0, "OggS")],
    [text(0, "FORM"), text(8, "AIFF")],
    [text(0, "FORM"), text(8, "AIFC")],
    [text(0, ".snd")],
    [text(0, "caff")],
    [text(0, "ID3")],
  ]

  /// AVR, IFF, IRCAM, MAT4, MAT5, NIST, PAF, PVF, SDS, VOC, WVE and XI.
  private static let rare: [[Part]] =
    [
      [text(0, "2BIT")],
      [text(0, "FORM"), text(8, "8SVX")],
      [text(0, "FORM"), text(8, "16SV")],
      [(0, [0, 0, 3, 0xE8, 0, 0, 0, 1, 0, 0, 0, 1])],
      [(0, [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])],
      [text(0, "MATLAB 5.0 MAT-f")],
      [text(0, "NIST_1A\n")],
      [text(0, " paf")],
      [text(0, "fap ")],
      [text(0, "PVF1\n")],
      // A header of 21 bytes with its end mark, and the first packet.
      [(0, [0xF0, 0x7E, 0, 1]), (20, [0xF7, 0xF0, 0x7E])],
      [text(0, "Creative Voice F")],
      [text(0, "ALawSoundFile**")],
      [text(0, "Extended Instrum")],
    ]
    + (UInt8(1)...4).flatMap { machine -> [[Part]] in
      [[(0, [0x64, 0xA3, machine, 0])], [(0, [0, machine, 0xA3, 0x64])]]
    }

  private static func text(_ offset: Int, _ text: String) -> Part { (offset, Array(text.utf8)) }

  /// ISO 11172-3, 2.4.1.3: eleven set bits, then no value that is reserved or "free".
  private static func isMPEGFrame(_ head: [UInt8]) -> Bool {
    guard head.count >= 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return false }
    let (version, layer) = (head[1] >> 3 & 3, head[1] >> 1 & 3)
    let (bitrate, rate) = (head[2] >> 4, head[2] >> 2 & 3)
    return version != 1 && layer != 0 && bitrate != 0 && bitrate != 15 && rate != 3
  }
}
