import Foundation

/// A recording of frames that contain their own numbers. Zeros are inserted silence.
struct NumberedSound {
  private(set) var frames = 0
  private(set) var silent = 0
  /// The positions where the distance to the previous number is not the distance in frames, and the
  /// difference.
  private(set) var shifts: [(place: Int, by: Int)] = []

  /// The total number of missing frames.
  var missing: Int { shifts.reduce(0) { $0 + $1.by } }

  /// Reads stereo frames of 16 bits. The low half of the number is in the left channel.
  init(_ path: String) throws {
    let bytes = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
    frames = bytes.count / 4
    bytes.withUnsafeBytes { raw in
      var offset: Int?
      for place in 0..<frames {
        let number = Int(raw.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self))
        if number == 0 {
          silent += 1
        } else if offset != number - place {
          if let offset { shifts.append((place, number - place - offset)) }
          offset = number - place
        }
      }
    }
  }
}
