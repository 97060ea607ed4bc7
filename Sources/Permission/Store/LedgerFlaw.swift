/// What is wrong with the bytes of a store.
package enum LedgerFlaw: Error, Hashable, Sendable {
  /// It does not begin with a line that holds a checksum.
  case noChecksum
  /// The bytes are not those that the checksum was made of.
  case checksum
  /// It is not what this program writes; the words say where and why.
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
