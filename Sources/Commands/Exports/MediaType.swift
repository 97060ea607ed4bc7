internal import Linux

/// The kinds of sound files that every current browser plays.
enum MediaType {
  /// Returns the media type of a file by its first bytes, or nil if browsers do not play it.
  static func of(_ file: OpenFile) -> String? {
    var head = [UInt8](repeating: 0, count: 12)
    guard let count = try? file.descriptor.read(into: &head, at: 0) else { return nil }
    return of(Array(head[..<count]))
  }

  static func of(_ head: [UInt8]) -> String? {
    func holds(_ text: String, at offset: Int = 0) -> Bool {
      head.dropFirst(offset).starts(with: text.utf8)
    }
    if holds("RIFF"), holds("WAVE", at: 8) { return "audio/wav" }
    if holds("fLaC") { return "audio/flac" }
    if holds("OggS") { return "audio/ogg" }
    if holds("ID3") { return "audio/mpeg" }
    // A header of MPEG audio, layer III.
    if head.count > 1, head[0] == 0xFF, head[1] & 0xE6 == 0xE2 { return "audio/mpeg" }
    return nil
  }
}
