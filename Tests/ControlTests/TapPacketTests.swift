import JSON
import Testing

@testable import Control

@Suite("The packets of a tap")
struct TapPacketTests {
  private static let packets: [TapPacket] = [
    .frames([1, 2, 3, 4], at: 5), .frames([], at: 0),
    .frames(Array(repeating: 255, count: TapPacket.largest), at: 1_000_000_000_000),
    .end(.done, at: 7), .end(.refused(Refusal(exit: 24, "revoked", advice: "grant")), at: 8),
  ]

  @Test("Each packet is received as it was sent, in pieces of any size", arguments: [1, 16, 9_999])
  func pieces(size: Int) throws {
    var bytes = Self.packets.flatMap(\.bytes)
    var (received, packets): ([UInt8], [TapPacket]) = ([], [])
    while !bytes.isEmpty {
      received += bytes.prefix(size)
      bytes.removeFirst(min(size, bytes.count))
      while let packet = try TapPacket.take(from: &received) { packets.append(packet) }
    }
    #expect(packets == Self.packets && received.isEmpty)
  }

  @Test(
    "Other bytes are refused",
    arguments: [
      Array(repeating: 255, count: 16), TapPacket.frames([1], at: 0).bytes.map { $0 == 0 ? 9 : $0 },
      [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func malformed(bytes: [UInt8]) {
    var received = bytes
    #expect(throws: ControlError.malformed) { try TapPacket.take(from: &received) }
  }
}
