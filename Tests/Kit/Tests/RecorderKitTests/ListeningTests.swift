import Foundation
import RecorderKit
import Testing

@Suite("Listening to a recording", .timeLimit(.minutes(15)))
struct ListeningTests {
  private static let isThorough =
    ProcessInfo.processInfo.environment["RECORDER_TEST_EVERY"] != nil

  @Test("A thousand levels arrive, each with all channels")
  func levels() async throws {
    var recorder = await Home.recorder()
    recorder.period = .milliseconds(2)
    let take = try await recorder.start(to: Home.file("wav"))
    var count = 0
    for await levels in take.levels {
      #expect(levels.channels.count == 2 && levels.all.peak == levels.channels.map(\.peak).max())
      count += 1
      if count == 1_000 { break }
    }
    await take.stop()
    #expect(count == 1_000)
  }

  @Test("A listener that keeps up receives each frame once")
  func everyFrame() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    var next: Int64?
    var frames = 0
    let wanted = (Self.isThorough ? 600 : 5) * 48_000
    for await buffer in take.buffers {
      #expect(buffer.lost == 0 && (next ?? buffer.position) == buffer.position)
      let heard = numbers(buffer.array, channels: 2)
      #expect(heard.first == number(buffer.position) && jumps(heard).isEmpty)
      next = buffer.position + Int64(buffer.frames)
      frames += buffer.frames
      if frames >= wanted { break }
    }
    let result = await take.stop()
    #expect(result.lost == 0 && frames >= wanted, "\(result)")
  }

  @Test("A slow listener learns how many frames it missed, and delays no other")
  func slow() async throws {
    var recorder = await Home.recorder()
    recorder.period = .milliseconds(1)
    let take = try await recorder.start(to: Home.file("wav"))
    var slow = take.buffers.makeAsyncIterator()
    var first: Int64?
    var count = 0
    // Long enough for the slow listener to miss some buffers.
    for await buffer in take.buffers {
      first = first ?? buffer.position
      count += 1
      if count == 1_500 { break }
    }
    let result = await take.stop()
    var (next, lost, heard) = (try #require(first), Int64(0), Int64(0))
    while let buffer = await slow.next() {
      #expect(buffer.position == next + buffer.lost || heard == 0)
      #expect(numbers(buffer.array, channels: 2).first == number(buffer.position))
      lost += buffer.lost
      heard += Int64(buffer.frames)
      next = buffer.position + Int64(buffer.frames)
    }
    #expect(lost > 0 && result.lost == 0 && result.isComplete)
    #expect(next == Int64(result.captured))
    #expect(abs(lost + heard - (next - (try #require(first)))) < 480, "\(lost) \(heard) \(next)")
  }
}

@Suite("Listening to a microphone without a file", .timeLimit(.minutes(5)))
struct CaptureTests {
  @Test("Each frame arrives once, and the end of an iteration closes the device")
  func frames() async throws {
    let client = await Home.client()
    for _ in 0..<2 {
      var heard: [Int] = []
      for try await buffer in Microphone.buffers(from: "test:ramp", as: client) {
        #expect(buffer.lost == 0 && Int(buffer.position) == heard.count)
        heard += numbers(buffer.array, channels: buffer.format.channels)
        if heard.count >= 24_000 { break }
      }
      // A reopened device starts at 0 again.
      #expect(heard.first == 0 && jumps(heard).isEmpty)
    }
  }

  @Test("Frames arrive at the requested rate and with the requested channels")
  func converted() async throws {
    let client = await Home.client()
    let wish = AudioFormat(rate: 16_000, channels: 1)
    var frames = 0
    let began = ContinuousClock.now
    for try await buffer in Microphone.buffers(from: "test:tone", wish, as: client) {
      #expect(buffer.format == wish)
      frames += buffer.frames
      if frames >= 16_000 { break }
    }
    #expect((0.8...3).contains((ContinuousClock.now - began) / .seconds(1)))
  }

  @Test("A cancelled task ends without an error")
  func cancelled() async throws {
    let client = await Home.client()
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let listening = Task {
      var count = 0
      for try await _ in Microphone.buffers(from: "test:ramp", as: client) {
        count += 1
        tell.yield()
      }
      return count
    }
    for await _ in begun { break }
    listening.cancel()
    #expect(try await listening.value > 0)
  }

  @Test("A revocation ends the capture with the new status")
  func revoked() async throws {
    let recorder = try Command()
    let client = await Home.client()
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let listening = Task {
      for try await _ in Microphone.buffers(from: "test:ramp", as: client) { tell.yield() }
    }
    for await _ in begun { break }
    #expect(try recorder.run("permission", "revoke", "--force", "--as", client.name) == 0)
    await #expect(throws: RecorderError.notAuthorized(.denied)) { try await listening.value }
  }
}
