package import Audio

extension FileFormat: Choice {
  package static var placeholder: String { "FORMAT" }
}

/// How many bits a sample has in the file.
package enum Bits: String, Choice {
  case sixteen = "16"
  case twentyFour = "24"
  case thirtyTwo = "32"
  case float

  package static let placeholder = "BITS"

  /// How such a sample lies in a file.
  package var sample: SampleFormat {
    switch self {
    case .sixteen: .int16
    case .twentyFour: .int24Packed
    case .thirtyTwo: .int32
    case .float: .float32
    }
  }
}
