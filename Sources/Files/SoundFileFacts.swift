internal import Audio
internal import CSndFile

extension SoundFileReader {
  /// The properties that the file states.
  package var info: SoundFileInfo {
    let format = Int(description.format)
    return SoundFileInfo(
      container: name(of: format & SF_FORMAT_TYPEMASK),
      encoding: name(of: isWide ? SF_FORMAT_PCM_32 : format & SF_FORMAT_SUBMASK),
      bits: bits, rate: rate, channels: channels, frames: frames,
      bytes: handle.file.end, tags: tags, cues: cues, sample: sample)
  }

  /// The common file name extension of this kind of file, without the dot.
  package var ending: String {
    switch Int(description.format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_WAV, SF_FORMAT_WAVEX: "wav"
    case SF_FORMAT_RF64: "rf64"
    case SF_FORMAT_W64: "w64"
    case SF_FORMAT_FLAC: "flac"
    case SF_FORMAT_OGG: "ogg"
    case SF_FORMAT_AIFF: "aiff"
    case SF_FORMAT_AU: "au"
    case SF_FORMAT_CAF: "caf"
    default: "mp3"
    }
  }

  /// The smallest sample format that holds every sample exactly, or nil if there is none.
  var sample: SampleFormat? {
    if let integerBits {
      return switch integerBits {
      case ...16: .int16
      case ...24: .int24Packed
      default: .int32
      }
    }
    return switch Int(description.format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_FLOAT: .float32
    case SF_FORMAT_DOUBLE: .float64
    default: nil
    }
  }

  /// The bits per sample, or nil if the samples are not integers.
  package var integerBits: Int? { holdsIntegers || isWide ? bits : nil }

  /// The bits per sample, or nil if the encoding has no fixed number.
  var bits: Int? {
    if isWide { return 32 }
    return switch Int(description.format) & SF_FORMAT_SUBMASK {
    case SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW: 8
    case SF_FORMAT_PCM_16, SF_FORMAT_ALAC_16: 16
    case SF_FORMAT_ALAC_20: 20
    case SF_FORMAT_PCM_24, SF_FORMAT_ALAC_24: 24
    case SF_FORMAT_PCM_32, SF_FORMAT_ALAC_32, SF_FORMAT_FLOAT: 32
    case SF_FORMAT_DOUBLE: 64
    default: nil
    }
  }

  /// The corresponding command is SFC_GET_FORMAT_INFO.
  private func name(of format: Int) -> String {
    var info = unsafe SF_FORMAT_INFO()
    unsafe info.format = CInt(format)
    _ = unsafe handle.command(SFC_GET_FORMAT_INFO, &info)
    return unsafe info.name.map { unsafe String(cString: $0) } ?? "unknown"
  }

  private var tags: SoundFileTags {
    var tags: SoundFileTags = [:]
    for tag in SoundFileTag.allCases {
      tags[tag] = handle.string(tag.code)
    }
    return tags
  }

  private var cues: [SoundFileCue] {
    // An error is ignored here, because reading the samples throws it again.
    if let own = try? WaveRepair.cues(of: handle.file) { return own }
    let others = libraryCues
    return others.isEmpty ? (try? VorbisChapters.read(from: handle.file, at: rate)) ?? [] : others
  }

  /// The marks that libsndfile finds. The corresponding command is SFC_GET_CUE. The command fills
  /// in a count and as many points as fit.
  private var libraryCues: [SoundFileCue] {
    var count: UInt32 = 0
    guard handle.command(SFC_GET_CUE_COUNT, &count) == SF_TRUE, count > 0 else { return [] }
    let first = MemoryLayout<SF_CUES>.offset(of: \.cue_points) ?? 4
    let size = first + Int(count) * MemoryLayout<SF_CUE_POINT>.stride
    return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 4) { memory in
      guard unsafe handle.fill(memory, by: SFC_GET_CUE) else { return [] }
      return (0..<Int(count)).map { index in
        let offset = first + index * MemoryLayout<SF_CUE_POINT>.stride
        return unsafe SoundFileCue(memory.load(fromByteOffset: offset, as: SF_CUE_POINT.self))
      }
    }
  }
}

extension SoundFileCue {
  fileprivate init(_ point: SF_CUE_POINT) {
    let label = unsafe withUnsafeBytes(of: point.name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(at: FrameCount(Int64(point.sample_offset)), label: label)
  }
}

extension SoundFileHandle {
  /// The corresponding C function is `sf_get_string`.
  fileprivate borrowing func string(_ code: CInt) -> String? {
    unsafe ask { unsafe $0.get_string($1, code) }.map { unsafe String(cString: $0) }
  }

  fileprivate borrowing func fill(_ memory: UnsafeMutableRawBufferPointer, by command: Int) -> Bool
  {
    let size = CInt(memory.count)
    return unsafe ask {
      unsafe $0.command($1, CInt(command), memory.baseAddress, size)
    } == SF_TRUE
  }
}
