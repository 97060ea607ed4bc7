import Foundation
import Testing

@testable import JSON

@Suite("Bytes as text") struct Base64Tests {
  @Test("The encoding is Foundation's, and decodes to the same bytes", arguments: 0..<40)
  func bytes(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 251 &* $0 &+ 7 &* count) }
    let text = String(decoding: Base64.encode(bytes), as: UTF8.self)
    #expect(text == Data(bytes).base64EncodedString())
    #expect(Base64.decode(text) == bytes)
  }

  @Test(
    "Anything else is refused",
    arguments: ["a", "ab=", "=", "====", "ab c", "ab=c", "äöüß", "a\n=="])
  func refusals(text: String) { #expect(Base64.decode(text) == nil) }
}
