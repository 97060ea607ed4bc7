package import Audio

extension FileFormat: Choice {
  /// The name of a file format in the help.
  package static var placeholder: String { "FORMAT" }
}

/// The sample format in the file, by its number of bits.
package enum Bits: String, Choice {
  case sixteen = "16"
  case twentyFour = "24"
  case thirtyTwo = "32"
  case float

  /// The name of a sample format in the help.
  package static let placeholder = "BITS"

  /// The samples' format in a file.
  package var sample: SampleFormat {
    switch self {
    case .sixteen: .int16
    case .twentyFour: .int24Packed
    case .thirtyTwo: .int32
    case .float: .float32
    }
  }
}
