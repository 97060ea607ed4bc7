internal import Linux

/// A foreign word in a message: escaped, and in quotation marks.
package func quoted(_ foreign: String) -> String { "\"\(printable(foreign))\"" }

/// Foreign text, escaped so that it cannot control a terminal.
package func printable(_ foreign: String) -> String { PrintableText.escape(foreign) }

/// A foreign word in a command to type: escaped, and in single quotes if a shell needs them.
package func shellArgument(_ foreign: String) -> String {
  if !foreign.isEmpty, foreign.utf8.allSatisfy(isPlain) { return foreign }
  let parts = printable(foreign).split(separator: "'", omittingEmptySubsequences: false)
  return "'" + parts.joined(separator: #"'\''"#) + "'"
}

private func isPlain(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "/._-+:,@%".utf8.contains(byte)
  }
}
