import CSndFile
import Foundation

/// A sound file that libsndfile wrote, with its expected properties.
struct Specimen {
  let name: String
  /// libsndfile's names of the container and the encoding.
  let kind: String
  let channels: Int
  /// The sample rate that the file states. Some formats round it.
  let rate: Int
  let frames: Int
  /// Whether every sample stays the same.
  let isLossless: Bool

  /// Returns the samples of a file: a note for each channel, in steps that 8 bits can hold, and
  /// never zero.
  static func signal(frames: Int, channels: Int) -> [Int16] {
    frames == 4_800 && channels <= 2 ? usual[channels - 1] : made(frames, channels)
  }

  // A debug build takes long to make the samples, and hundreds of files need the same ones.
  private static let usual = [made(4_800, 1), made(4_800, 2)]

  private static func made(_ frames: Int, _ channels: Int) -> [Int16] {
    (0..<frames * channels).map { index in
      let (frame, channel) = (index / channels, index % channels)
      let wave = 90 * sin(0.05 * Double(frame) * Double(channel + 1))
      return Int16(wave.rounded() == 0 ? 1 : wave.rounded()) * 256
    }
  }

  /// Writes one file for each major format and each encoding that it can have.
  static func all(in directory: String, frames: Int = 4_800) -> [Specimen] {
    pairs.compactMap { major, minor in
      [2, 1].lazy.compactMap { channels in
        Specimen(major, minor, channels: channels, frames: frames, in: directory)
      }.first
    }
  }

  private static let lossless =
    Set(
      [
        SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
        SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE, SF_FORMAT_ALAC_16, SF_FORMAT_ALAC_20, SF_FORMAT_ALAC_24,
        SF_FORMAT_ALAC_32, SF_FORMAT_DWVW_12, SF_FORMAT_DWVW_16, SF_FORMAT_DWVW_24,
      ].map(Int32.init))

  private static let floats =
    Set(
      [
        SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE, SF_FORMAT_VORBIS, SF_FORMAT_OPUS,
        SF_FORMAT_MPEG_LAYER_III,
      ].map(Int32.init))

  /// Writes integers to formats of integers and floats to formats of floats, because libsndfile
  /// does not scale one to the other as expected. Returns the number of frames written.
  private static func write(
    _ samples: [Int16], _ frames: Int, to file: OpaquePointer, asFloats: Bool
  ) -> Int {
    if !asFloats { return Int(sf_writef_short(file, samples, sf_count_t(frames))) }
    return Int(sf_writef_float(file, samples.map { Float($0) / 32_768 }, sf_count_t(frames)))
  }

  private static var pairs: [(SF_FORMAT_INFO, SF_FORMAT_INFO)] {
    let majors = formats(SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR)
    let minors = formats(SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE)
    return majors.flatMap { major in minors.map { (major, $0) } }
  }

  private static func formats(_ counting: Int, _ asking: Int) -> [SF_FORMAT_INFO] {
    var count = Int32()
    sf_command(nil, Int32(counting), &count, Int32(MemoryLayout<Int32>.size))
    return (0..<count).map { number in
      var info = SF_FORMAT_INFO()
      info.format = number
      sf_command(nil, Int32(asking), &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
      return info
    }
  }

  /// Writes the file, or returns nil if the format does not exist or libsndfile cannot write it.
  private init?(
    _ major: SF_FORMAT_INFO, _ minor: SF_FORMAT_INFO, channels: Int, frames: Int,
    in directory: String
  ) {
    var info = SF_INFO()
    info.samplerate = 48_000
    info.channels = Int32(channels)
    info.format = major.format | minor.format
    guard sf_format_check(&info) == SF_TRUE else { return nil }
    let (container, encoding) = (String(cString: major.name), String(cString: minor.name))
    kind = "\(container), \(encoding)"
    let words = kind.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    name = "\(words).\(String(cString: major.extension))"
    let path = "\(directory)/\(name)"
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else { return nil }
    let samples = Self.signal(frames: frames, channels: channels)
    let written = Self.write(
      samples, frames, to: file, asFloats: Self.floats.contains(minor.format))
    sf_close(file)
    // libsndfile 1.2.0 cannot write AIFF with 12 bits of DWVW.
    guard written == frames else { return nil }
    var found = SF_INFO()
    if major.format == SF_FORMAT_RAW { found = info }
    guard let again = sf_open(path, Int32(SFM_READ), &found) else { return nil }
    sf_close(again)
    self.channels = channels
    rate = Int(found.samplerate)
    self.frames = major.format == SF_FORMAT_RAW ? frames : Int(found.frames)
    isLossless = Self.lossless.contains(minor.format)
  }
}
