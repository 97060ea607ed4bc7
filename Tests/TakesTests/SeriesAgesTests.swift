import Audio
import Control
import Testing

@testable import Takes

@Suite("The age of a file of a series")
struct SeriesAgesTests {
  private static let hour = Duration.seconds(3_600)
  private static let year = hour * 24 * 365

  /// Returns an hour of a take that began at `began` by the wall clock.
  private func file(_ take: String, began: Duration) -> RecordingResult {
    let facts = TakeFacts(
      identifier: take, name: "log", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    var result = RecordingResult(facts, reason: .split, exit: 0, began: began)
    result.frames.captured = FrameCount(Self.hour, at: .hz48000)
    return result
  }

  /// Returns the ages in hours, for files in the order of their recording.
  private func ages(_ files: [RecordingResult]) -> [Int] {
    SeriesAges(files.reversed(), believing: Self.hour * 48).files.reversed().map { file in
      Int((file.age / Self.hour).rounded())
    }
  }

  @Test("is the time since its end, including the time between takes")
  func rest() {
    let files = [0, 1, 26, 27].map { file($0 < 20 ? "a" : "b", began: Self.hour * $0) }
    #expect(ages(files) == [27, 26, 1, 0])
  }

  @Test(
    "is not changed by a clock that is set during a take",
    arguments: [year, .zero - year, hour * 24])
  func jump(by jump: Duration) {
    let files = (0..<6).map { file("a", began: Self.hour * $0 + ($0 < 3 ? .zero : jump)) }
    #expect(ages(files) == [5, 4, 3, 2, 1, 0])
  }

  @Test("ignores a time between takes that only a wrong clock shows")
  func wrongClock() {
    let before = (0..<3).map { file("a", began: Self.hour * $0) }
    #expect(ages(before + [file("b", began: Self.year)]) == [3, 2, 1, 0])
    #expect(ages(before + [file("b", began: .zero - Self.year)]) == [2, 1, 0, 0])
    // The clock was corrected in the middle of the second take, which began an hour after the end
    // of the first.
    let after = [file("b", began: Self.year), file("b", began: Self.hour * 5)]
    #expect(ages(before + after) == [5, 4, 3, 1, 0])
  }

  @Test("includes neither the time before the trigger nor the time with a closed device")
  func notRecorded() {
    // The take was armed for an hour. Then it recorded an hour, and its device was closed for two.
    var take = file("a", began: Self.hour * 2)
    take.frames.early = take.frames.captured
    take.frames.discarded = take.frames.captured
    take.frames.captured += take.frames.captured
    take.ended = Self.hour * 5
    #expect(ages([take, file("b", began: Self.hour * 5)]) == [1, 0])
    // The clock shows an impossible interval, so only the recorded hour counts.
    #expect(ages([file("c", began: .zero - Self.year), take]) == [1, 0])
  }

  @Test("grows in two simultaneous recordings of a series as in one")
  func together() {
    let files = (0..<6).map { file($0 % 2 == 0 ? "a" : "b", began: Self.hour * ($0 / 2)) }
    #expect(ages(files) == [2, 2, 1, 1, 0, 0])
  }
}
