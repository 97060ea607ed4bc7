extension Descriptor {
  /// Appends a line to a file that is open for reading and appending.
  ///
  /// A line that was cut off before, as on a full disk, gets its end first, so that it does not swallow this one. Both
  /// go in one write; only a full disk makes it two, of which the second fails.
  ///
  /// - Parameter line: the text without its line end.
  package borrowing func append(line: String) throws(SystemError) {
    let end = UInt8(ascii: "\n")
    var bytes = Array(line.utf8) + [end]
    let size = try status().size
    var last = [end]
    if size > 0 { _ = try read(into: &last, at: size - 1) }
    if last != [end] { bytes.insert(end, at: 0) }
    try writeAll(bytes.span)
  }
}
