import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

@Suite("AVAudioRecorder at a given time")
@MainActor
struct RecorderTimeTests {
  let scratch: Scratch
  let listener = Listener()

  init() throws { scratch = try Scratch() }

  @Test("Row 81: a timed recording begins at its time, without earlier frames")
  func atTime() async throws {
    let recorder = try recorder()
    let moment = recorder.deviceCurrentTime + 1.5
    #expect(recorder.record(atTime: moment))
    #expect(recorder.isRecording)
    try await expectBeginning(of: recorder, at: moment, after: 0)
  }

  @Test("A paused recording resumes at the given time")
  func resume() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.1 }
    recorder.pause()
    let length = recorder.currentTime
    let moment = recorder.deviceCurrentTime + 1.5
    #expect(recorder.record(atTime: moment))
    #expect(recorder.isRecording && recorder.currentTime == length)
    try await expectBeginning(of: recorder, at: moment, after: length)
  }

  @Test("A pause before the given time keeps the recording paused")
  func pauseAgain() async throws {
    let recorder = try recorder()
    recorder.record()
    try await eventually { recorder.currentTime > 0.1 }
    recorder.pause()
    let length = recorder.currentTime
    let moment = recorder.deviceCurrentTime + 0.3
    #expect(recorder.record(atTime: moment))
    recorder.pause()
    #expect(!recorder.isRecording)
    try await eventually { recorder.deviceCurrentTime > moment + 0.3 }
    #expect(recorder.currentTime == length)
    recorder.stop()
    #expect(abs(try seconds() - length) < 0.001)
  }

  @Test(
    "Row 81: a recording at a time that has passed begins immediately", arguments: [0, 0.5, -1e30])
  func atPassedTime(time: Double) async throws {
    let recorder = try recorder()
    #expect(recorder.record(atTime: time))
    #expect(recorder.isRecording)
    try await eventually { recorder.currentTime > 0.1 }
    recorder.stop()
    #expect(try seconds() > 0.1)
  }

  @Test(
    "A time that no clock has does not stop the program",
    arguments: [1e30, .greatestFiniteMagnitude, .infinity, -1e30, .nan, .leastNonzeroMagnitude])
  func impossibleTimes(time: Double) throws {
    let recorder = try recorder()
    let isTime = time.isFinite && time > 1
    #expect(recorder.record(forDuration: time) == isTime)
    recorder.stop()
    #expect(recorder.record(atTime: time) == time.isFinite)
    recorder.stop()
    #expect(recorder.record(atTime: time, forDuration: time) == isTime)
    recorder.stop()
    #expect(!recorder.isRecording)
  }

  /// Expects that a recording with a length continues at a time, and stops it after some seconds.
  private func expectBeginning(
    of recorder: AVAudioRecorder, at moment: Double, after length: Double
  ) async throws {
    // The writer may begin late, but never early.
    var begin = Double.infinity
    try await eventually {
      let grown = recorder.currentTime - length
      if grown > 0 { begin = min(begin, recorder.deviceCurrentTime - grown) }
      return recorder.deviceCurrentTime > moment + 1.5
    }
    #expect(begin - moment > -0.021, "\(begin - moment)")
    let stop = recorder.deviceCurrentTime
    recorder.stop()
    #expect(try await listener.end())
    // Both ends are exact to a period of 20 ms, even if the program is late.
    let excess = try seconds() - length - (stop - moment)
    #expect(excess > -0.021 && excess < recorder.deviceCurrentTime - stop + 0.021, "\(excess)")
  }

  private func recorder() throws -> AVAudioRecorder {
    let recorder = try AVAudioRecorder(url: scratch.file("a.wav"), settings: RecorderTests.mono)
    recorder.delegate = listener
    return recorder
  }

  private func seconds() throws -> Double {
    Double(try AudioFileReader(scratch.path("a.wav")).length) / 48_000
  }
}
