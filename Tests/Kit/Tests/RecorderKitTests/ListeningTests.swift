import Bench
import Foundation
import RecorderKit
import Testing

@Suite("Listening to a recording", .timeLimit(.minutes(15)))
struct ListeningTests {
  @Test("A thousand levels arrive, each with all channels")
  func levels() async throws {
    var recorder = await Home.recorder()
    recorder.bufferDuration = .milliseconds(2)
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
    let wanted = 5 * 48_000
    for await buffer in take.buffers {
      #expect(buffer.lost == 0 && (next ?? buffer.position) == buffer.position)
      let heard = numbers(Array(buffer.samples), channels: 2)
      #expect(heard.first == number(buffer.position) && jumps(heard).isEmpty)
      next = buffer.position + Int64(buffer.frameCount)
      frames += buffer.frameCount
      if frames >= wanted { break }
    }
    let result = await take.stop()
    #expect(result.lost == 0 && frames >= wanted, "\(result)")
  }

  @Test("A slow listener learns how many frames it missed, and delays no other")
  func slow() async throws {
    var recorder = await Home.recorder()
    recorder.bufferDuration = .milliseconds(1)
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
      #expect(numbers(Array(buffer.samples), channels: 2).first == number(buffer.position))
      lost += buffer.lost
      heard += Int64(buffer.frameCount)
      next = buffer.position + Int64(buffer.frameCount)
    }
    #expect(lost > 0 && result.lost == 0 && result.isComplete)
    #expect(next == Int64(result.captured))
    #expect(abs(lost + heard - (next - (try #require(first)))) < 480, "\(lost) \(heard) \(next)")
  }

  @Test("A cancelled listener receives nothing more, not even the buffers that were kept for it")
  func cancelled() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    let (begin, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let listening = Task {
      var plain = take.buffers.makeAsyncIterator()
      var converted = take.buffers(as: AudioFormat(sampleRate: 16_000, channelCount: 1))
        .makeAsyncIterator()
      let heard = [await plain.next(), try await converted.next()]
      #expect(heard.allSatisfy { $0 != nil })
      hasBegun.finish()
      while !Task.isCancelled { await Task.yield() }
      return [await plain.next(), try await converted.next()]
    }
    for await _ in begin {}
    let length = take.duration
    try await eventually { take.duration > length + .milliseconds(100) }
    listening.cancel()
    #expect(try await listening.value.allSatisfy { $0 == nil })
    await take.stop()
  }
}

@Suite("Listening to a recording in another format", .timeLimit(.minutes(5)))
struct ConversionTests {
  @Test(
    "Every frame arrives at the requested rate, with the requested channels and samples",
    arguments: [16_000, 44_100, 96_000])
  func converted(rate: Int) async throws {
    let format = AudioFormat(sampleRate: rate, channelCount: 1)
    let take = try await Recorder(from: "test:tone", client: await Home.client())
      .start(to: Home.file("wav"))
    var (first, next, peak) = (Int64?.none, Int64(0), Float(0))
    for try await buffer in take.buffers(as: format) {
      #expect(buffer.format == format && buffer.lost == 0)
      #expect(first == nil || buffer.position == next)
      // The beginning of a tone in the middle of its period is a click.
      if next < rate / 2, let first, next > first + Int64(rate / 10) {
        peak = max(peak, Array(buffer.samples).map(abs).max() ?? 0)
      }
      first = first ?? buffer.position
      next = buffer.position + Int64(buffer.frameCount)
      if next > rate { take.requestStop() }
    }
    let result = await take.result
    let whole = (Double(result.captured) * Double(rate) / 48_000).rounded()
    #expect(abs(Int64(whole) - next) <= 1, "\(result) \(next)")
    #expect(abs(Double(peak) - result.peak) < 0.02 * result.peak, "\(peak) \(result)")
  }

  @Test("Without a change of the format, all bits are kept")
  func unchanged() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    var heard: [Int] = []
    for try await buffer in take.buffers(as: take.format) {
      #expect(buffer.format == take.format && buffer.lost == 0)
      heard += numbers(Array(buffer.samples), channels: 2)
      if heard.count > 24_000 { break }
    }
    await take.stop()
    #expect(heard.count > 24_000 && jumps(heard).isEmpty)
  }

  @Test("A slow listener learns how many frames it missed, at its rate")
  func slow() async throws {
    var recorder = await Home.recorder()
    recorder.bufferDuration = .milliseconds(1)
    let take = try await recorder.start(to: Home.file("wav"))
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    var slow = take.buffers(as: format).makeAsyncIterator()
    let first = try #require(await slow.next())
    var next = first.position + Int64(first.frameCount)
    var count = 0
    for await _ in take.buffers {
      count += 1
      if count == 1_500 { break }
    }
    let result = await take.stop()
    var lost: Int64 = 0
    while let buffer = try await slow.next() {
      #expect(buffer.position == next + buffer.lost)
      lost += buffer.lost
      next = buffer.position + Int64(buffer.frameCount)
    }
    #expect(lost > 0 && result.lost == 0)
    #expect(abs(next - result.captured / 3) <= 1, "\(next) \(result)")
  }

  @Test("A format that cannot be delivered ends the iteration with an error")
  func impossible() async throws {
    let take = try await Home.recorder().start(to: Home.file("wav"))
    for format in [
      AudioFormat(sampleRate: 48_000, channelCount: 6),
      AudioFormat(sampleRate: 0, channelCount: 2),
    ] {
      let error = await #expect(throws: RecorderError.self) {
        for try await _ in take.buffers(as: format) {}
      }
      #expect(error?.code == .unsupportedFormat)
    }
    await take.stop()
  }
}

@Suite("Listening to a microphone without a file", .timeLimit(.minutes(5)))
struct CaptureTests {
  @Test("Each frame arrives once, and the end of an iteration closes the device")
  func frames() async throws {
    let client = await Home.client()
    for _ in 0..<2 {
      var heard: [Int] = []
      for try await buffer in Microphone.buffers(from: "test:ramp", client: client) {
        #expect(buffer.lost == 0 && Int(buffer.position) == heard.count)
        heard += numbers(Array(buffer.samples), channels: buffer.format.channelCount)
        if heard.count >= 24_000 { break }
      }
      // A reopened device starts at 0 again.
      #expect(heard.first == 0 && jumps(heard).isEmpty)
    }
  }

  @Test("Frames arrive at the requested rate and with the requested channels")
  func converted() async throws {
    let client = await Home.client()
    let format = AudioFormat(sampleRate: 16_000, channelCount: 1)
    var frames = 0
    let began = ContinuousClock.now
    for try await buffer in Microphone.buffers(from: "test:tone", format: format, client: client) {
      #expect(buffer.format == format && buffer.bytes.count == 2 * buffer.frameCount)
      // Each sample is a 16-bit number.
      #expect(Array(buffer.samples).allSatisfy { $0 * 32_768 == ($0 * 32_768).rounded() })
      frames += buffer.frameCount
      if frames >= 16_000 { break }
    }
    #expect((0.8...3).contains((ContinuousClock.now - began) / .seconds(1)))
  }

  @Test(
    "A format that cannot be delivered ends the iteration with an error",
    arguments: [
      AudioFormat(sampleRate: 16_000, channelCount: 1, sampleFormat: .float64),
      AudioFormat(sampleRate: 0, channelCount: 1), AudioFormat(sampleRate: 8_000, channelCount: 0),
    ])
  func impossible(format: AudioFormat) async throws {
    let client = await Home.client()
    let error = await #expect(throws: RecorderError.self) {
      for try await _ in Microphone.buffers(from: "test:tone", format: format, client: client) {}
    }
    #expect(error?.code == .unsupportedFormat, "\(String(describing: error))")
  }

  @Test("A cancelled task ends without an error")
  func cancelled() async throws {
    let client = await Home.client()
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let listening = Task {
      var count = 0
      for try await _ in Microphone.buffers(from: "test:ramp", client: client) {
        count += 1
        tell.yield()
      }
      return count
    }
    for await _ in begun { break }
    listening.cancel()
    #expect(try await listening.value > 0)
  }

  @Test("A task that is cancelled while the device is opened ends without an error")
  func cancelledEarly() async throws {
    let client = await Home.client()
    for round in 0..<50 {
      let listening = Task {
        for try await _ in Microphone.buffers(from: "test:ramp", client: client) {}
      }
      // A different moment in each round.
      for _ in 0..<round * 20 { await Task.yield() }
      listening.cancel()
      try await listening.value
    }
  }

  @Test("A revocation ends the capture with the new status")
  func revoked() async throws {
    let recorder = try Command()
    let client = await Home.client()
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let listening = Task {
      for try await _ in Microphone.buffers(from: "test:ramp", client: client) { tell.yield() }
    }
    for await _ in begun { break }
    #expect(try recorder.run("permission", "revoke", "--force", "--as", client.name) == 0)
    let error = await #expect(throws: RecorderError.self) { try await listening.value }
    #expect(error?.code == .accessDenied && error?.subject == client.name)
    #expect(error?.description.contains(client.name) == true)
  }
}
