import Audio
import Testing

@Suite("Frames and time")
struct FrameCountTests {
  static let rates = [1, 7, 8_000, 11_025, 44_100, 48_000, 96_000, 192_000, 705_600, 768_000]

  @Test("A count is unchanged after conversion to a duration and back", arguments: rates)
  func roundTrip(hertz: Int) throws {
    let rate = try #require(SampleRate(hertz))
    let tenYears: Int64 = 315_576_000 * Int64(hertz)
    let around: [Int64] = [0, 1, 2, 3, 999, Int64(hertz) - 1, Int64(hertz), tenYears - 1, tenYears]
    for value in around + (0..<1_000).map({ tenYears / 1_000 * $0 + $0 }) {
      for frames in [FrameCount(value), FrameCount(-value)] {
        #expect(FrameCount(frames.duration(at: rate), at: rate) == frames)
      }
    }
  }

  @Test("A whole second is exactly the rate, also after ten years")
  func wholeSeconds() {
    let tenYears = 315_576_000
    #expect(FrameCount(tenYears * 44_100).duration(at: .hz44100) == .seconds(tenYears))
    #expect(FrameCount(.seconds(tenYears), at: .hz44100) == FrameCount(tenYears * 44_100))
  }

  @Test("A duration is rounded down to whole frames, also before zero")
  func roundsDown() {
    let table: [(Duration, FrameCount)] = [
      (.zero, 0), (.milliseconds(10), 441), (.microseconds(22), 0), (.microseconds(23), 1),
      (.nanoseconds(-1), -1), (.milliseconds(-10), -441),
    ]
    for (duration, frames) in table {
      #expect(FrameCount(duration, at: .hz44100) == frames, "\(duration)")
    }
  }

  @Test("Counts add, subtract and compare")
  func arithmetic() {
    var position: FrameCount = 100
    position += 5
    #expect(position == 105)
    #expect(position - 205 == -100)
    #expect(FrameCount.zero < position)
    #expect(position.value == 105)
  }

  @Test("A converted count is limited, so that it can be added to others")
  func limited() throws {
    let (low, high) = (try #require(SampleRate(1)), try #require(SampleRate(768_000)))
    #expect(FrameCount.most.converted(from: low, to: high) == .most)
    let before = FrameCount(-FrameCount.most.value)
    #expect(before.converted(from: low, to: high) == before)
    #expect(FrameCount(96).converted(from: .hz48000, to: low) == 0)
    #expect(FrameCount(96_000).converted(from: .hz48000, to: .hz44100) == 88_200)
  }

  @Test("A count that passes the end of its range traps")
  func overflow() async {
    await #expect(processExitsWith: .failure) {
      let step = FrameCount(Int64(CommandLine.arguments.count))
      print((FrameCount(Int64.max) + step).value)
    }
  }
}
