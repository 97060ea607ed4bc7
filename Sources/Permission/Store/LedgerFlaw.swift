/// A fault in the bytes of a store.
package enum LedgerFlaw: Error, Hashable, Sendable {
  /// The file does not begin with a checksum line.
  case noChecksum
  /// The checksum does not match the bytes.
  case checksum
  /// The JSON is not in the form that this program writes; the words name the fault and its place.
  case malformed(String)
}

extension LedgerFlaw: CustomStringConvertible {
  /// Completes a sentence that begins with the file's name.
  package var description: String {
    switch self {
    case .noChecksum: "does not begin with a checksum"
    case .checksum: "was changed or damaged: its checksum is wrong"
    case .malformed(let words): "holds what this version does not know: \(words)"
    }
  }
}
