import Audio
import Devices
import Linux
import Recording
import Synchronization
import Testing

private let stereo = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)

@Suite("A recording", .timeLimit(.minutes(1)))
struct RecordingTests {
  private func record(
    _ settings: RecordingSettings = .init(), capacity: Int = .max,
    _ body: (Recording) throws -> Void
  ) throws -> (numbers: [UInt32], recording: Recording) {
    let source = try CaptureDevice("test:ramp")
    let contents = MemoryFile.Contents()
    let file = MemoryFile(stream: stereo, contents: contents, capacity: capacity)
    let recording = try Recording(
      from: source, to: file, converter: NoConverter?.none, settings, reopen: { nil },
      finish: { _, _ in })
    try body(recording)
    #expect(try recording.ended.descriptor.wait(upTo: .seconds(10)))
    return (contents.numbers, recording)
  }

  @Test("Every frame until the stop is in the file, in order")
  func everyFrame() throws {
    let (numbers, recording) = try record { recording in
      while recording.captured < 20_000 { KernelClock.sleep(.milliseconds(5)) }
      recording.stop()
    }
    #expect(numbers.count >= 20_000)
    #expect(numbers == (0..<UInt32(numbers.count)).map { $0 })
    let frames = recording.progress.frames
    #expect(frames.onDisk == FrameCount(numbers.count))
    #expect(frames.captured == frames.onDisk && frames.lost == 0)
    #expect(recording.end == RecordingEnd(capture: .stopped, write: .captureEnded))
  }

  @Test("A duration is exact to the frame")
  func duration() throws {
    var settings = RecordingSettings()
    settings.limits.frames = 9_999
    let (numbers, recording) = try record(settings) { _ in }
    #expect(numbers == (0..<9_999).map { $0 })
    #expect(recording.end?.write == .duration)
  }

  @Test("A pause leaves frames out and says how many, and the rest is in order")
  func pause() throws {
    var left: FrameCount = 0
    let (numbers, recording) = try record { recording in
      while recording.captured < 5_000 { KernelClock.sleep(.milliseconds(1)) }
      recording.pause()
      while recording.captured < 12_000 { KernelClock.sleep(.milliseconds(1)) }
      recording.resume()
      recording.mark("here")
      while recording.captured < 20_000 { KernelClock.sleep(.milliseconds(1)) }
      recording.cut()
    }
    let events = recording.takeEvents()
    #expect(events.count == 3)
    if case .resumed(let after)? = events.dropFirst().first?.event { left = after }
    let cut = Int(events.first?.frame.value ?? 0)
    #expect(cut > 0 && left > 0)
    #expect(numbers.prefix(cut) == (0..<UInt32(cut)).map { $0 }[...])
    let rest = UInt32(cut) + UInt32(left.value)
    let tail = numbers.dropFirst(cut)
    #expect(Array(tail) == (0..<UInt32(tail.count)).map { rest + $0 })
    #expect(events.last == PlacedEvent(at: FrameCount(cut), .mark("here")))
    let frames = recording.progress.frames
    #expect(frames.discarded == left)
    #expect(frames.elapsed == frames.onDisk + frames.discarded)
    #expect(recording.end?.write == .ordered)
  }

  @Test("A file that fails ends the recording, and what it holds is a prefix")
  func failingFile() throws {
    let (numbers, recording) = try record(capacity: 40_000) { _ in }
    #expect(numbers == (0..<UInt32(numbers.count)).map { $0 })
    #expect(recording.end?.write == .failed("the disk is on fire"))
    #expect(recording.progress.frames.onDisk == FrameCount(numbers.count))
  }
}
