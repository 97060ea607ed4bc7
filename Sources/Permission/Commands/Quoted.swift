internal import Linux

/// Quotes a path for a shell and escapes it for a terminal.
func quoted(_ path: String) -> String {
  if !path.isEmpty, path.utf8.allSatisfy(isPlain) { return path }
  let parts = PrintableText.escape(path).split(separator: "'", omittingEmptySubsequences: false)
  return "'" + parts.joined(separator: #"'\''"#) + "'"
}

private func isPlain(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "/._-+:,@%".utf8.contains(byte)
  }
}
