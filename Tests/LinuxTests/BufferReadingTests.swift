import Linux
import Support
import Testing

@Suite("Reading a file into a buffer")
struct BufferReadingTests {
  @Test("replaces the content, and uses the same memory again")
  func reused() throws {
    let scratch = try ScratchDirectory()
    var buffer: [UInt8] = []
    buffer.reserveCapacity(100)
    let address = buffer.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    for text in ["a long text", "short", ""] {
      let file = try Descriptor(opening: scratch.write(text, to: "file"))
      try file.readAll(count: 50, into: &buffer)
      #expect(buffer == Array(text.utf8))
      #expect(buffer.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } == address)
    }
  }
}
