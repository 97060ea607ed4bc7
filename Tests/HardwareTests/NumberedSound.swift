import Foundation

/// What a recording of frames that carry their own numbers says about itself; zeros are silence put in.
struct NumberedSound {
  private(set) var frames = 0
  private(set) var silent = 0
  /// Where a number is not as far from the one before it as its place is, and by how much.
  private(set) var shifts: [(place: Int, by: Int)] = []

  /// The sum of what is missing.
  var missing: Int { shifts.reduce(0) { $0 + $1.by } }

  /// Reads stereo frames of 16 bits, the low half of the number on the left.
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
