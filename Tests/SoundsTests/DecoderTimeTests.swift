import Audio
import Decoding
import Foundation
import Linux
import Sounds
import Support
import Testing

@Suite("The processor time of a decoder", .timeLimit(.minutes(2)))
struct DecoderTimeTests {
  /// A decoder that does not know the length. It continues when its limit of 10 s becomes 70 s.
  private static let program = #"""
    #!/bin/sh
    ulimit -S -t 10
    printf '\377\377\377\377\377\377\377\377'
    until [ "$(ulimit -S -t)" = 70 ]; do :; done
    printf 'done'
    """#

  @Test("grows with the counted length if the file does not state its length")
  func counted() throws {
    let scratch = try ScratchDirectory()
    let program = try scratch.write(Self.program + "\n", to: "decoder")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let stream = StreamFormat(rate: .hz48000, channels: .mono, sample: .float32)
    var order = DecodeOrder(name: "-", format: stream)
    // 60 s.
    order.length = 2_880_000
    let child = try DecoderChild(program, Descriptor(opening: program), order, from: 0)
    #expect(try child.head().length == nil)
    var bytes = [UInt8](repeating: 0, count: 8)
    let count = try child.read(into: &bytes)
    #expect(count == 4)
    try child.finish()
  }
}
