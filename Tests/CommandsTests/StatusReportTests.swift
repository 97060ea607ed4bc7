import Audio
import Control
import Store
import Testing

@testable import Commands

@Suite("The status of a recording")
struct StatusReportTests {
  private func page(
    freeSeconds: Double?, tracks: [Track]? = nil,
    _ change: (inout RecordingStatus) -> Void = { _ in }
  ) throws -> String {
    let status = status(freeSeconds: freeSeconds, tracks: tracks, change)
    return StatusReport(recordings: [status]).text(.plain)
  }

  private func status(
    freeSeconds: Double? = nil, tracks: [Track]? = nil,
    _ change: (inout RecordingStatus) -> Void = { _ in }
  ) -> RecordingStatus {
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)
    var status = RecordingStatus(
      TakeFacts(
        identifier: "0123456789abcdef", name: "default", device: "test:tone", stream: stream,
        format: .wav), state: .recording, process: 1)
    status.path = "/tmp/a.wav"
    status.freeSeconds = freeSeconds
    status.tracks = tracks ?? status.tracks
    change(&status)
    return status
  }

  @Test(
    "Mentions the disk only if it will be full within a day",
    arguments: [
      (417_600, nil), (86_400, nil), (18_000, "full in 5 h"), (600, "full in 10 min"),
      (30, "full in 30 s"), (0, "full in 0 s"),
    ] as [(Double, String?)])
  func disk(seconds: Double, told: String?) throws {
    let page = try page(freeSeconds: seconds)
    #expect(page.contains("Disk") == (told != nil))
    #expect(page.contains(told ?? "Level"), "\(page)")
  }

  @Test("Names the device behind a default")
  func devices() throws {
    var mic = Track(device: "default")
    mic.deviceTitle = "Blue Yeti\u{1B}"
    let plain = try page(freeSeconds: nil, tracks: [mic])
    #expect(plain.contains("Blue Yeti\\x1B (PipeWire's default), 48000 Hz"), "\(plain)")
    mic.name = "mic"
    var far = Track(name: "far", device: "output", channels: 1..<2)
    far.deviceTitle = "Speakers"
    let call = try page(freeSeconds: nil, tracks: [mic, far])
    #expect(call.contains("Track mic") && call.contains("channel 2, Speakers (output)"), "\(call)")
  }

  @Test("Shows the level of each track")
  func trackLevels() throws {
    let tracks = [
      Track(name: "mic", device: "default", channels: 0..<1),
      Track(name: "far", device: "output", channels: 1..<3),
    ]
    let call = try page(freeSeconds: nil, tracks: tracks) {
      $0.channels = [0.5, 0, 0.1].map { Level(peak: $0, rms: 0, clipped: 0) }
    }
    #expect(
      call.contains("default, now -6.0 dBFS") && call.contains("output, now -20.0 dBFS"), "\(call)")
  }

  @Test("A paused recording has no current level, but keeps the highest")
  func pausedLevel() throws {
    func page(frames: FrameCount) throws -> String {
      try self.page(freeSeconds: nil) {
        $0.state = .paused
        $0.frames.captured = frames
        $0.highestPeak = 0.1
      }
    }
    #expect(try page(frames: 480).contains("  Level   highest -20.0 dBFS\n"))
    #expect(try !page(frames: 0).contains("Level"))
  }

  @Test("Says that the file has a hidden name until the recording ends, but not of stdout")
  func appearance() throws {
    let page = try page(freeSeconds: nil)
    #expect(page.contains("  File    /tmp/a.wav (appears when it ends)\n"), "\(page)")
    #expect(try self.page(freeSeconds: nil) { $0.path = nil }.contains("  File    stdout\n"))
  }

  @Test("Distinguishes the command that repairs a moved file from the one that drops it")
  func missing() {
    let record = SessionRecord.blank
    var report = StatusReport(recordings: [])
    report.missing = [record]
    #expect(report.text(.plain).contains("Moved    recorder recover PATH"))
    #expect(report.text(.plain).contains("Deleted  recorder recover"))
  }

  @Test("Names the command for one of several recordings or sounds as it was typed")
  func named() {
    func advice(
      _ noun: String, _ option: String?, _ typed: [String], _ names: [String] = ["my call", "b"]
    ) -> String? {
      do {
        _ = try ImpliedName.only(
          names, noun, called: { $0 }, all: true, by: option, typed)
        return nil
      } catch {
        return Failure(explaining: error).message.advice.first
      }
    }
    let mark = advice("recording", "--name", ["-q", "mark", "it is on"])
    #expect(mark?.contains("\"recorder -q mark --name 'my call' 'it is on'\", or --all") == true)
    let seek = advice("sound", nil, ["sound", "seek", "1:30", "--json"])
    #expect(seek?.contains("\"recorder sound seek 'my call' 1:30 --json\", or --all") == true)
    let rewind = advice("sound", nil, ["sound", "rewind"], ["-", "/a.wav", "umbrella"])
    #expect(rewind?.contains("\"recorder sound rewind umbrella\"") == true)
  }

  @Test("Does not mention a disk if there is none")
  func stdout() throws { #expect(try !page(freeSeconds: nil).contains("Disk")) }

  @Test("Shows no limits if there are none")
  func unlimited() throws { #expect(try !page(freeSeconds: nil).contains("Limits")) }

  @Test("Shows what ends a take")
  func ends() throws {
    var limits = RecordingLimits(duration: .seconds(5_400))
    #expect(try row(limits: limits) == "ends after 1 h 30 min")
    limits.size = 500 << 20
    #expect(try row(limits: limits) == "ends after 1 h 30 min or at 500 MiB")
    let all = try row(limits: limits) {
      $0.stopOnSilence = .milliseconds(2_500)
      $0.threshold = Decibels(-50)
    }
    #expect(
      all == "ends after 1 h 30 min, at 500 MiB or after 2.5 s of silence (below -50.0 dBFS)")
  }

  @Test("Shows when an expiring permission ends a take")
  func access() throws {
    let end = Duration.seconds(1_772_375_400)
    #expect(
      try row(limits: RecordingLimits(duration: .seconds(60))) { $0.accessUntil = end }
        == "ends after 1 min or at \(localTime(of: end)), when the permission expires")
  }

  @Test("A paused recording still shows what starts its take, as the start and the view do")
  func waiting() throws {
    let status = status {
      $0.state = .paused
      $0.isArmed = true
      $0.startOnSound = Decibels(-40)
      $0.limits = RecordingLimits(duration: .seconds(3_600))
    }
    let text = "recorder resume, then a sound of at least -40.0 dBFS, or recorder trigger"
    func words(_ page: String) -> String {
      page.split { $0.isWhitespace }.joined(separator: " ")
    }
    let page = words(StatusReport(recordings: [status]).text(.plain))
    #expect(page.contains(" Waits for \(text)") && !page.contains("Length"), "\(page)")
    let started = words(StartedReport(status: status).text(.plain))
    #expect(started.contains(" Waits for \(text) Limits ends after 1 h"), "\(started)")
    let view = LiveView(status, PeakHold()).lines(width: 100, rows: 24, .plain)
    #expect(view.contains { $0.hasPrefix("waits for \(text)") }, "\(view)")
  }

  @Test("Shows when a new file begins, and which files are kept")
  func files() throws {
    let size = RecordingLimits(size: 4 << 30)
    #expect(
      try row(limits: size) {
        $0.split = SplitPlan(length: .seconds(600))
        $0.keep = .count(5)
      } == "a new file every 10 min or at 4.0 GiB; keeps the newest 5 files and deletes older ones")
    #expect(
      try row(limits: RecordingLimits(duration: .seconds(172_800))) {
        $0.split = SplitPlan(length: .seconds(3_600), isAligned: true)
        $0.keep = .age(.seconds(604_800))
      } == "ends after 2 days; a new file every 1 h (aligned with the local clock); "
        + "keeps files up to 7 days old and deletes older ones")
    #expect(
      try row(limits: nil) { $0.keep = .count(1) }
        == "keeps the newest file and deletes older ones")
  }

  /// Returns the row with the limits as one line.
  private func row(
    limits: RecordingLimits?, _ change: (inout RecordingStatus) -> Void = { _ in }
  ) throws -> String {
    let page = try page(freeSeconds: nil) {
      $0.limits = limits
      change(&$0)
    }
    let lines = page.split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.hasPrefix("  Limits ") })
    let more = lines[(first + 1)...].prefix { $0.hasPrefix("    ") }
    let words = ([lines[first]] + more).flatMap { $0.split(separator: " ") }
    return words.dropFirst().joined(separator: " ")
  }

  @Test(
    "Formats a duration to the millisecond",
    arguments: [
      (.zero, "0 s"), (.milliseconds(250), "0.250 s"), (.milliseconds(2_500), "2.5 s"),
      (.seconds(60), "1 min"), (.seconds(3_661), "1 h 1 min 1 s"), (.seconds(86_400), "1 day"),
      (.milliseconds(59_999.9999), "1 min"),
    ] as [(Duration, String)])
  func exact(duration: Duration, told: String) { #expect(exactly(duration) == told) }
}
