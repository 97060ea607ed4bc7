import Foundation
import Support

/// Broken sound files of every kind. They are the same in each run.
struct BrokenFiles {
  private(set) var files: [(name: String, bytes: [UInt8])] = []
  /// Files that end early or claim more than they contain. They are played up to their end.
  private(set) var cutShort: [(name: String, bytes: [UInt8])] = []
  private var random = SeededGenerator(seed: 16)
  private let whole: [(specimen: Specimen, bytes: [UInt8])]

  /// All broken files, made once for all tests.
  static let all = Result { try BrokenFiles(in: ScratchDirectory()) }

  /// Makes the broken files from whole ones, which it first writes into a directory.
  private init(in directory: borrowing ScratchDirectory) throws {
    let directory = directory.path
    whole = try Specimen.all(in: directory).map {
      ($0, Array(try Data(contentsOf: URL(filePath: "\(directory)/\($0.name)"))))
    }
    cut()
    fillWithRubbish()
    damage()
    lieInWave()
    lieElsewhere()
  }

  private mutating func add(_ fault: String, _ name: String, _ bytes: [UInt8]) {
    let number = String(format: "%03d-", files.count + cutShort.count)
    let file = (number + fault + "-" + name, bytes)
    if ["cut", "size", "frames"].contains(fault) {
      cutShort.append(file)
    } else {
      files.append(file)
    }
  }

  private func specimens(_ containers: [String]) -> [(specimen: Specimen, bytes: [UInt8])] {
    whole.filter { one in containers.contains { one.specimen.kind.hasPrefix($0) } }
  }

  /// Containers that state their length: by a size, a count of frames or the form of their end.
  private static let measured = [
    "AIFF", "AU", "CAF", "FLAC", "MPEG", "OGG", "RF64", "W64", "WAV (Microsoft)", "WAVEX",
  ]

  /// Cuts each file at a random position, within its samples or before them.
  private mutating func cut() {
    for (specimen, bytes) in specimens(Self.measured) {
      let count = Int.random(in: bytes.count / 20...bytes.count * 9 / 10, using: &random)
      add("cut", specimen.name, Array(bytes.prefix(count)))
    }
  }

  /// Replaces the bytes of each file with random ones, except for those at the start that identify
  /// the container.
  private mutating func fillWithRubbish() {
    // Psion's container is left out: after its start it has only samples without any structure.
    let others = [
      "AVR", "IFF", "MAT4", "MAT5", "PAF", "PVF", "SDS", "SF (", "VOC", "WAV (NIST", "XI",
    ]
    var known: Set<String> = []
    for (specimen, bytes) in specimens(Self.measured + others) {
      guard known.insert(String(specimen.kind.prefix(12))).inserted else { continue }
      let head = Self.head(of: specimen)
      for _ in 0..<4 {
        let rubbish = random.bytes(bytes.count - head)
        add("rubbish", specimen.name, Array(bytes.prefix(head)) + rubbish)
      }
    }
  }

  /// Returns the number of bytes at the start of a file that identify its container.
  private static func head(of specimen: Specimen) -> Int {
    let others = ["W64": 40, "PVF": 5, "SF (": 4]
    return others.first { specimen.kind.hasPrefix($0.key) }?.value ?? 16
  }

  /// Replaces bytes in the middle of files with checksums. MPEG is left out, because hardly any
  /// MPEG file has checksums.
  private mutating func damage() {
    for (specimen, bytes) in specimens(["FLAC", "OGG"]) {
      for _ in 0..<4 {
        let start = Int.random(in: bytes.count * 4 / 10...bytes.count * 6 / 10, using: &random)
        var broken = bytes
        broken.replaceSubrange(start..<(start + 400), with: random.bytes(400))
        add("damaged", specimen.name, broken)
      }
    }
  }

  /// Makes WAV files whose headers contain impossible values.
  private mutating func lieInWave() {
    let samples = random.bytes(4_000)
    let format = WaveBytes.format(channels: 2)
    func patched(_ offset: Int, _ number: Int, _ count: Int) -> [UInt8] {
      var bytes = format
      bytes.replaceSubrange(offset..<(offset + count), with: WaveBytes.little(number, count))
      return bytes
    }
    var formats: [(String, [UInt8])] = [("short", Array(format.prefix(8))), ("empty", [])]
    let rates = [0, 1, 999, 999_999, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
    for channels in [0, 1_025, 0xFFFF] { formats.append(("channels", patched(2, channels, 2))) }
    for rate in rates { formats.append(("rate", patched(4, rate, 4))) }
    for bits in [0, 65, 255] { formats.append(("bits", patched(14, bits, 2))) }
    for codec in [0, 0xDEAD, 0xFFFF] { formats.append(("codec", patched(0, codec, 2))) }
    for (name, format) in formats {
      add(
        name, "a.wav",
        WaveBytes.file {
          $0.chunk("fmt ", format); $0.chunk("data", samples)
        })
    }
    for size in [0xFFFF_FFF0, 0xFFFF_FFFE, 0xF000_0000, 0x7F00_0000, 100_000, 4_001] {
      add(
        "size", "a.wav",
        WaveBytes.file(size: size) {
          $0.chunk("fmt ", format); $0.chunk("data", samples, size: size)
        })
    }
    for size in [0xFFFF_FFF0, 0x7FFF_FFFF, 0xFFFF_FFFF] {
      add(
        "chunk", "format.wav",
        WaveBytes.file {
          $0.chunk("fmt ", format, size: size); $0.chunk("data", samples)
        })
      add(
        "chunk", "list.wav",
        WaveBytes.file {
          $0.chunk("fmt ", format); $0.chunk("LIST", [1, 2], size: size); $0.chunk("data", samples)
        })
    }
    add("no", "format.wav", WaveBytes.file { $0.chunk("data", samples) })
    add("no", "data.wav", WaveBytes.file { $0.chunk("fmt ", format) })
    let loud = [UInt8](repeating: 0x7F, count: 4_000)
    var floats = WaveBytes.little(3, 2) + WaveBytes.little(1, 2) + WaveBytes.little(48_000, 4)
    floats += WaveBytes.little(192_000, 4) + WaveBytes.little(4, 2) + WaveBytes.little(32, 2)
    add(
      "noise", "float.wav",
      WaveBytes.file { wave in
        wave.chunk("fmt ", floats)
        wave.chunk("data", loud)
      })
  }

  /// Makes files of other containers with impossible values, each at an offset from a name in the
  /// header.
  private mutating func lieElsewhere() {
    let huge: [UInt8] = [0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF0]
    let most: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    let lies: [(String, String, String, Int, [UInt8])] = [
      ("AIFF", "channels", "COMM", 8, [0, 0]),
      ("AIFF", "rate", "COMM", 16, [UInt8](repeating: 0, count: 10)),
      ("AIFF", "rate", "COMM", 16, [0x7F, 0xFF, 0xFF]),
      ("AIFF", "size", "SSND", 4, [0x7F, 0xFF, 0xFF, 0xF0]),
      ("AIFF", "bits", "COMM", 14, [0xFF, 0xFF]), ("AU", "channels", ".snd", 20, [0, 0, 0, 0]),
      ("AU", "channels", ".snd", 20, most), ("AU", "rate", ".snd", 16, [0, 0, 0, 0]),
      ("AU", "rate", ".snd", 16, most), ("AU", "size", ".snd", 8, [0xFF, 0xFF, 0xFF, 0xF0]),
      ("AU", "encoding", ".snd", 12, [0, 0, 0, 99]), ("AU", "offset", ".snd", 4, [0x7F, 0, 0, 0]),
      ("CAF", "rate", "desc", 12, [0x7F, 0xF8, 0, 0, 0, 0, 0, 0]),
      ("CAF", "rate", "desc", 12, [UInt8](repeating: 0, count: 8)),
      ("CAF", "channels", "desc", 36, [0, 0, 0, 0]), ("CAF", "size", "data", 4, huge),
      ("W64", "channels", "fmt ", 26, [0, 0]), ("W64", "rate", "fmt ", 28, most),
      ("W64", "size", "data", 16, [0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F]),
      ("RF64", "channels", "fmt ", 10, [0, 0]), ("RF64", "rate", "fmt ", 12, most),
      ("RF64", "size", "ds64", 16, [0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F]),
      ("RF64", "size", "ds64", 16, [0xF0, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0]),
      ("RF64", "size", "ds64", 16, [UInt8](repeating: 0xFF, count: 7) + [0x7F]),
      ("FLAC", "frames", "fLaC", 22, most), ("FLAC", "rate", "fLaC", 18, [0, 0, 0]),
      ("OGG (OGG Container format), Opus", "channels", "OpusHead", 9, [0]),
      ("OGG (OGG Container format), Vorbis", "channels", "vorbis", 10, [0]),
      ("WAV (NIST", "channels", "channel_count -i ", 17, Array("0".utf8)),
      ("WAV (NIST", "rate", "sample_rate -i ", 15, Array("0    ".utf8)),
      ("SF (", "channels", "", 8, [0, 0, 0, 0]), ("SF (", "rate", "", 4, [0, 0, 0, 0]),
      ("VOC", "name", "Creative", 0, Array("creative".utf8)),
    ]
    for (container, lie, mark, offset, bytes) in lies {
      guard let (specimen, whole) = specimens([container]).first,
        let place = mark.isEmpty ? 0 : whole.firstRange(of: Array(mark.utf8))?.lowerBound
      else { continue }
      var broken = whole
      broken.replaceSubrange((place + offset)..<(place + offset + bytes.count), with: bytes)
      add(lie, specimen.name, broken)
    }
  }
}
