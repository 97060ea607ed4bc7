import Audio
import Control
import Testing

@testable import Commands

@Suite("The status of a recording")
struct StatusReportTests {
  private func page(freeSeconds: Double?, tracks: [Track]? = nil) throws -> String {
    let stream = StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16)
    var status = RecordingStatus(
      TakeFacts(
        identifier: "0123456789abcdef", name: "default", device: "test:tone", stream: stream,
        format: .wav), state: .recording, process: 1)
    status.path = "/tmp/a.wav"
    status.freeSeconds = freeSeconds
    status.tracks = tracks ?? status.tracks
    return StatusReport(recordings: [status]).text(.plain)
  }

  @Test(
    "Tells of the disk where it is full within a day",
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

  @Test("Does not mention a disk if there is none")
  func stdout() throws { #expect(try !page(freeSeconds: nil).contains("Disk")) }
}
