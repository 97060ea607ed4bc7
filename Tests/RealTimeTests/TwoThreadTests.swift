import Audio
import Foundation
import RealTime
import Synchronization
import Testing

/// A generator on one thread and a verifier on another, in blocks of odd sizes.
///
/// They access samples through typed pointers. In a debug build, the thread sanitizer does not see
/// the loads and stores of the standard library, and would find no race.
@Suite("Two threads", .serialized, .timeLimit(.minutes(10)))
struct TwoThreadTests {
  @Test("No sample is lost, repeated or torn in the ring")
  func ring() {
    let frames = (Workload.samples + 2) / 3
    var ring = SampleRing(capacity: 10_007, bytesPerFrame: 12)
    let generator = Generator(ring.writer(), frames: frames)
    let reader = ring.reader()
    var verifier = Verifier()
    Thread.detachNewThread { generator.run() }
    let clock = ContinuousClock()
    let start = clock.now
    verifier.run(reader, frames: frames)
    let elapsed = clock.now - start
    print("ring: \(verifier.samples) samples in \(elapsed), \(Workload.kind)")
    #expect(verifier.samples == UInt64(frames * 3))
    #expect(verifier.wrong == 0)
  }

  @Test("The latest value is complete, never goes backward, and the last one arrives")
  func latestValue() {
    let wanted = 20_000
    var latest = LatestValue(Sealed(0))
    let publisher = Publisher(latest.writer())
    var reader = latest.reader()
    Thread.detachNewThread { publisher.run() }
    var (last, wrong, seen) = (0, 0, 0)
    while last != Publisher.lastNumber {
      let value = reader.read()
      wrong += value.isWhole && value.number >= last ? 0 : 1
      if value.number == last { sched_yield() } else { seen += 1 }
      last = value.number
      if seen == wanted { publisher.stop() }
    }
    print("latest value: \(seen) different ones seen, \(Workload.kind)")
    #expect(wrong == 0)
  }
}

/// The number of samples to pass: RECORDER_RING_SAMPLES, or as many as this build handles within
/// seconds.
enum Workload {
  static let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil

  static let samples: Int = {
    if let wish = ProcessInfo.processInfo.environment["RECORDER_RING_SAMPLES"].flatMap({ Int($0) })
    {
      return wish
    }
    if isUnderThreadSanitizer { return 10_000_000 }
    #if DEBUG
      return 1_000_000
    #else
      return 1_000_000_000
    #endif
  }()

  static var kind: String {
    #if DEBUG
      isUnderThreadSanitizer ? "debug, thread sanitizer" : "debug"
    #else
      isUnderThreadSanitizer ? "release, thread sanitizer" : "release"
    #endif
  }

  /// Returns odd sizes. Some are a single frame, and none of the others divides the size of the
  /// ring.
  static func block(_ turn: Int) -> Int {
    switch turn % 5 {
    case 0: 1
    case 1: 7
    case 2: 311
    case 3: 4_099
    default: 1_023
    }
  }
}

/// Numbers every sample, directly in the memory of the ring.
///
/// It is `@unchecked Sendable`, because it is passed to the one thread that runs it.
final class Generator: @unchecked Sendable {
  private var writer: SampleRing.Writer?
  private let frames: Int

  init(_ writer: consuming SampleRing.Writer, frames: Int) {
    self.writer = consume writer
    self.frames = frames
  }

  func run() {
    guard var writer = writer.take() else { return }
    var (next, left, turn) = (UInt32(0), frames, 0)
    while left > 0 {
      var room = writer.room(upTo: min(left, Workload.block(turn)))
      let count = room.byteCount / 12
      room.withUnsafeMutableBytes { bytes in
        guard let samples = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
        for sample in 0..<bytes.count / 4 {
          samples[sample] = next
          next &+= 1
        }
      }
      writer.commit(count)
      if count == 0 { sched_yield() }
      left -= count
      turn += 1
    }
  }
}

/// Counts the samples, and those that do not have the next number.
struct Verifier {
  var samples: UInt64 = 0
  var wrong = 0

  mutating func run(_ reader: consuming SampleRing.Reader, frames: Int) {
    var turn = 3
    while samples < UInt64(frames * 3) {
      let count = check(reader.frames(upTo: Workload.block(turn)))
      reader.release(count)
      if count == 0 { sched_yield() }
      turn += 1
    }
  }

  private mutating func check(_ frames: RawSpan) -> Int {
    frames.withUnsafeBytes { bytes in
      var next = UInt32(truncatingIfNeeded: samples)
      guard let numbers = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return 0 }
      for sample in 0..<bytes.count / 4 {
        wrong &+= numbers[sample] == next ? 0 : 1
        next &+= 1
      }
      samples += UInt64(bytes.count / 4)
      return bytes.count / 12
    }
  }
}

/// A number that shows whether it is complete.
struct Sealed: BitwiseCopyable, Sendable {
  let number: Int
  private let seals: InlineArray<4, Int>

  init(_ number: Int) {
    self.number = number
    seals = InlineArray { ~number &+ $0 }
  }

  var isWhole: Bool { (0..<4).allSatisfy { seals[$0] == ~number &+ $0 } }
}

/// Publishes one number after the other until it is stopped, and then the last number.
///
/// It is `@unchecked Sendable`, because its writer is passed to the one thread that runs it.
final class Publisher: @unchecked Sendable {
  static let lastNumber = Int.max

  private var writer: LatestValue<Sealed>.Writer?
  private let isStopped = Atomic(false)

  init(_ writer: consuming LatestValue<Sealed>.Writer) { self.writer = consume writer }

  func run() {
    guard var writer = writer.take() else { return }
    var number = 0
    while !isStopped.load(ordering: .relaxed) {
      number += 1
      writer.publish(Sealed(number))
      if number % 64 == 0 { sched_yield() }
    }
    writer.publish(Sealed(Self.lastNumber))
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }
}
