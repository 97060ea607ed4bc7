import Audio
import Devices
import JSON
import Linux
import RealTime
import Store
import Support
import Testing

@testable import Control
@testable import Permission
@testable import Takes

/// The access of the readers in a test. Both services are allowed at first.
struct TestAccess {
  let authority: Authority

  init(in directory: String) throws {
    let user = Environment.effectiveUser
    authority = Authority(
      store: PermissionStore(
        path: directory + "/permission", owner: StoreOwner(user: user, machine: "here")),
      directories: PolicyDirectories(paths: [], owner: user), account: .current(user),
      process: { .current() },
      clock: { ClockReading(boottime: KernelClock.bootTime.now, wall: .now, boot: "boot") })
    _ = try authority.perform(.grant(.forever), AccessQuery([.microphone, .systemAudio]))
  }

  func revoke(_ services: Set<Service>) throws {
    _ = try authority.perform(.revoke, AccessQuery(services))
  }

  func access(
    of client: Client, as reader: SessionID, in process: Int32?, to tracks: [Track]
  ) -> ReaderAccess {
    ReaderAccess(
      process.map { authority.acting(for: ProcessFacts(of: $0)) } ?? authority,
      AccessQuery(tracks.services, client: client), reader: reader)
  }

  /// The access of a program of this process.
  var reader: ReaderAccess {
    get throws {
      access(of: .everyone, as: try SessionID(), in: nil, to: [Track(device: "default")])
    }
  }

  /// The identifiers of the sessions and readers with a grant of their own.
  var granted: [String] {
    authority.store.read().ledger?.sessionGrants.keys.map(\.text).sorted() ?? []
  }
}

/// The reading end of a tap, with everything that it has received.
struct Reading: ~Copyable {
  private var stream: TapStream
  private(set) var numbers: [UInt32] = []
  /// The position of the first frame after each gap.
  private(set) var gaps: [Int] = []
  private(set) var end: Reply?
  private(set) var isConnected = true

  init(_ socket: consuming UnixSocket) {
    stream = TapStream(
      socket, received: [],
      StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), from: 0)
  }

  /// The number of missed frames.
  var lost: Int { Int(stream.lost.value) }

  /// Receives everything that has arrived.
  mutating func receive() throws {
    var before = -1
    while isConnected, before != numbers.count || before < 0 {
      before = numbers.count
      isConnected = stream.receive()
      while let (packet, lost) = try stream.next() { take(packet, after: lost) }
    }
  }

  private mutating func take(_ packet: TapPacket, after lost: FrameCount) {
    switch packet {
    case .frames(let bytes, let first):
      if lost > 0 { gaps.append(Int(first.value)) }
      numbers += bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    case .end(let reply, _): end = reply
    }
  }
}

@Suite("The readers of a take", .timeLimit(.minutes(5)))
struct TapTests {
  private let taps = TakeTaps(beside: nil)
  private let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)

  /// Passes frames to the readers, each with its position as its value.
  private func write(_ positions: Range<Int>, block: Int = 4_096) {
    for first in stride(from: positions.lowerBound, to: positions.upperBound, by: block) {
      let numbers = (first..<min(first + block, positions.upperBound)).map { UInt32($0) }
      taps.take(numbers.span.bytes, of: stream, at: first)
    }
  }

  private func add(from first: Int = 0, selecting channels: [Int]? = nil) throws -> Reading {
    let scratch = try ScratchDirectory()
    let pair = try UnixSocket.pair()
    let map = channels.flatMap { ChannelMap(selecting: $0, of: .stereo) }
    let access = try TestAccess(in: scratch.path)
    taps.add(TapReader(pair.first, [], try access.reader, from: first, map))
    return Reading(pair.second)
  }

  /// Receives everything that waits for the reader.
  private func receiveAll(_ reading: inout Reading) throws {
    var before = -1
    while before != reading.numbers.count {
      before = reading.numbers.count
      taps.drain(upTo: .seconds(10), patience: .zero)
      try reading.receive()
    }
  }

  @Test("A reader gets each frame from its first one on", arguments: [7, 100, 4_096, 50_000])
  func exact(block: Int) throws {
    write(0..<1_000, block: block)
    var reading = try add(from: 1_500)
    write(1_000..<60_000, block: block)
    taps.end()
    try receiveAll(&reading)
    #expect(firstBreak(in: reading.numbers, from: 1_500) == nil)
    #expect(reading.numbers.count == 58_500 && reading.lost == 0 && reading.end == .done)
    #expect(!taps.isListening, "a reader with its last packet is removed")
    try reading.receive()
    #expect((reading.isConnected) == false)
  }

  @Test("A reader that does not read misses a counted number of frames, and another one none")
  func slow() throws {
    var slow = try add()
    var fast = try add()
    for first in stride(from: 0, to: 1_000_000, by: 10_000) {
      write(first..<first + 10_000)
      try receiveAll(&fast)
    }
    #expect(firstBreak(in: fast.numbers) == nil && fast.numbers.count == 1_000_000)
    try receiveAll(&slow)
    let received = slow.numbers.count
    #expect(received > 300_000 && received < 600_000)
    #expect(firstBreak(in: slow.numbers) == nil && slow.gaps == [])
    write(1_000_000..<1_000_100)
    try slow.receive()
    #expect(slow.numbers.last == 1_000_099 && slow.lost == 1_000_000 - received)
    #expect(slow.gaps == [1_000_000])
    taps.end()
    try slow.receive()
    #expect(slow.end == .done && slow.numbers.count + slow.lost == 1_000_100)
  }

  @Test("The last packet counts the frames that were missed before it")
  func lostEnd() throws {
    var reading = try add()
    write(0..<1_000_000)
    taps.end()
    try receiveAll(&reading)
    #expect(reading.end == .done && reading.lost > 0)
    #expect(reading.numbers.count + reading.lost == 1_000_000)
  }

  @Test("A reader that is behind gets the remaining frames while no frames are written")
  func remaining() throws {
    var reading = try add()
    write(0..<200_000)
    var poll = Poll()
    taps.enlist(in: &poll)
    #expect(poll.count == 1, "the kernel does not hold all of the frames")
    while poll.count > 0 {
      try reading.receive()
      let ready = try poll.wait(upTo: .seconds(10))
      try #require(ready == 1)
      taps.flush()
      poll.removeAll()
      taps.enlist(in: &poll)
    }
    try reading.receive()
    #expect(firstBreak(in: reading.numbers) == nil && reading.numbers.count == 200_000)
  }

  @Test("A reader of one track gets only its channels")
  func track() throws {
    var reading = try add(from: 4_000, selecting: [0])
    write(0..<10_000)
    taps.end()
    try receiveAll(&reading)
    // Each number has the low halves of two frames.
    let wanted = stride(from: UInt32(4_000), to: 10_000, by: 2).map { $0 | ($0 + 1) << 16 }
    #expect(reading.numbers == wanted)
  }

  @Test("A reader that disconnects is removed")
  func gone() throws {
    do {
      let reading = try add()
      #expect(taps.isListening && reading.isConnected)
    }
    taps.removeDeparted()
    #expect(!taps.isListening)
    for _ in 0..<TakeTaps.most { _ = try add() }
    #expect(taps.isFull)
    write(0..<10_000)
    taps.removeDeparted()
    #expect(!taps.isFull && !taps.isListening)
  }

  @Test("A reader that does not accept its last packet is removed after 5 s")
  func stalled() throws {
    let reading = try add()
    write(0..<1_000_000)
    let before = KernelClock.monotonic.now
    taps.removeDeparted(at: before + .seconds(3_600))
    #expect(taps.readerCount == 1, "before its end, a suspended reader keeps its place")
    taps.end()
    taps.removeDeparted(at: before + .seconds(5))
    #expect(taps.readerCount == 1)
    taps.removeDeparted(at: KernelClock.monotonic.now + .milliseconds(5_001))
    #expect(taps.readerCount == 0 && reading.isConnected)
  }

  @Test("The end of the session waits for no reader that does not read")
  func drain() throws {
    let reading = try add()
    write(0..<1_000_000)
    taps.end()
    let began = KernelClock.monotonic.now
    taps.drain(upTo: .seconds(60), patience: .milliseconds(50))
    #expect(KernelClock.monotonic.now - began < .seconds(30) && reading.isConnected)
  }
}
