import Audio
import JSON
import Takes
import Testing

@testable import Commands

@Suite("A meter")
struct MeterTests {
  private func calibration(_ levels: [Double]) -> Calibration {
    Calibration(
      of: "default", hearing: levels.map { Decibels($0) }, for: .milliseconds(10) * levels.count)
  }

  @Test(
    "Suggests thresholds above the loudest level that lasts at least 30 ms",
    arguments: [
      (Array(repeating: -60.0, count: 100), -60.0, -58.0, -54.0),
      // A click of 20 ms does not count as a sound, and one of 30 ms does.
      (Array(repeating: -60, count: 50) + [-20, -20, -60], -60, -58, -54),
      (Array(repeating: -60, count: 50) + [-49.5, -40, -49.5], -49.5, -47, -43),
      (Array(repeating: -90, count: 50), -90, -64, -60),
      (Array(repeating: -1, count: 50), -1, -5, -1),
    ] as [([Double], Double, Double, Double)])
  func thresholds(levels: [Double], loudest: Double, threshold: Double, start: Double) {
    let found = calibration(levels)
    #expect(found.loudest == Decibels(loudest))
    #expect(found.threshold == Decibels(threshold) && found.start == Decibels(start))
  }

  @Test("Warns if nothing was captured, and if it was not quiet")
  func doubts() {
    #expect(calibration([]).isSilent)
    let silent = calibration(Array(repeating: -.infinity, count: 10))
    #expect(
      silent.isSilent
        && CalibrationReport(room: silent).text(.plain).contains("no threshold can be"))
    let restless = calibration(Array(repeating: -70, count: 10) + [-30, -30, -30])
    #expect(
      restless.isRestless && CalibrationReport(room: restless).text(.plain).contains("be quiet"))
    let quiet = calibration(Array(repeating: -70, count: 10))
    #expect(!quiet.isRestless && !CalibrationReport(room: quiet).text(.plain).contains("But"))
  }

  @Test("The calibration shows the numbers and the command, in 80 columns")
  func text() {
    let room = calibration(Array(repeating: -60.25, count: 500))
    let text = CalibrationReport(room: room).text(.plain)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(text.contains("-60.3 dBFS, the median of 500 windows of 10 ms"))
    #expect(
      text.hasSuffix(
        "\nrecorder start --start-on-sound -54dB --stop-on-silence 2s --threshold -58dB\n"))
    let named = CalibrationReport(room: room, device: "hw:1 a").text(.plain)
    #expect(named.contains("\nrecorder start -d 'hw:1 a' --start-on-sound -54dB "))
  }

  @Test(
    "The last reading is shown if it is the first one, or has new content",
    arguments: [
      (2_029, 0.1, 0, false), (2_100, 0.1, 0, true), (2_029, 0.2, 0, true), (2_029, 0.1, 5, true),
    ] as [(Int, Double, FrameCount, Bool)])
  func last(elapsed: Int, peak: Double, lost: FrameCount, isNew: Bool) {
    func reading(_ elapsed: Int, _ peak: Double, _ lost: FrameCount) -> LevelReading {
      LevelReading(
        elapsed: .milliseconds(elapsed), level: Level(peak: 0.1, rms: 0.05, clipped: 0),
        channels: [], highestPeak: peak, lost: lost)
    }
    let last = reading(elapsed, peak, lost)
    #expect(last.isNew(after: reading(2_000, 0.1, 0)) == isNew)
    #expect(last.isNew(after: nil))
  }

  @Test("A reading is one line, and silence has no number")
  func reading() {
    let level = Level(peak: 0.1, rms: 0, clipped: 2)
    let reading = LevelReading(
      elapsed: .milliseconds(1_500), level: level, channels: [level], highestPeak: 1, lost: 3)
    #expect(
      reading.text(.plain)
        == "0:01.500  peak -20.0 dBFS, mean silence, highest 0.0 dBFS  CLIP  3 frames lost\n")
    #expect(reading.json["rms"] == .null && reading.json["peak"] == -20.0)
    #expect(reading.json["channels"]?[0]?["rms"] == .null)
  }
}
