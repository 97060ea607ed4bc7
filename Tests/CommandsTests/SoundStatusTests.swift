import Audio
import Control
import JSON
import Testing

@testable import Commands

@Suite("The status of sounds")
struct SoundStatusTests {
  private func text(_ underruns: Int, device: String = "default") throws -> String {
    let sound: JSONValue = [
      "name": "bell", "device": .string(device), "state": "playing", "position": 1, "duration": 2,
      "path": "/bell.flac", "volume": 1, "muted": false, "playsLeft": nil, "voices": 0, "queued": 0,
      "peak": nil,
    ]
    let output: JSONValue = ["device": .string(device), "underruns": .integer(Int64(underruns))]
    return try SoundStatusReport(["sounds": [sound], "outputs": [output]]).text(.plain)
  }

  @Test(
    "The number of dropouts of a device is reported",
    arguments: [(1, "1 dropout"), (2, "2 dropouts"), (12_345, "12345 dropouts")])
  func gaps(count: Int, times: String) throws {
    #expect(
      try text(count).hasSuffix(
        "\n\"default\" had \(times): the machine or server was slow\n"))
    let long = try text(count, device: String(repeating: "hw:", count: 40))
    #expect(long.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(long)")
  }

  private func lines(_ width: Int, _ name: String = "umbrella", full: Bool = false) throws
    -> [Substring]
  {
    let sound: JSONValue = [
      "name": .string(name), "device": "default", "state": "playing", "position": .number(0.11),
      "duration": 12,
      "path": "/umbrella.flac", "volume": .number(full ? 1 : 0.5), "muted": .bool(!full),
      "playsLeft": nil, "voices": 0, "queued": 0, "peak": nil,
    ]
    var report = try SoundStatusReport(["sounds": [sound]])
    report.width = width
    report.showsVolume = full
    return report.text(.plain).split(separator: "\n")
  }

  @Test("The volume and the mute state are visible at every width", arguments: [20, 40, 60, 80])
  func remarks(width: Int) throws {
    let lines = try lines(width)
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.contains("muted, volume 50%"), "\(lines)")
    let long = try self.lines(width, String(repeating: "long", count: 9), full: true)
    #expect(long.joined().contains("volume 100%"))
    if width >= 40 {
      #expect((lines + long).allSatisfy { $0.count <= width }, "\(lines + long)")
    }
  }

  private func names(_ names: [String], width: Int = 80) -> String {
    let sounds = names.map {
      SoundStatus(
        $0, output: "default", state: .ended, position: .zero, duration: .zero, path: $0)
    }
    var report = SoundStatusReport(sounds: sounds)
    report.width = width
    return report.text(.plain)
  }

  @Test("Files of the same name are shown with the part of their paths that distinguishes them")
  func sameNames() {
    let paths = ["/x/d1/s.wav", "/x/d2/s.wav", "/x/d2/other.wav", "/y/d2/t.wav", "/x/d2/t.wav"]
    let rows = names(paths).split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(rows == ["d1/s.wav", "d2/s.wav", "other.wav", "y/d2/t.wav", "x/d2/t.wav"])
    #expect(names(["s.wav", "/x/s.wav"]).contains("\nx/s.wav"))
    #expect(!names(["/x/s.wav", "/x/s.wav"]).contains("x/"), "one file on two devices")
  }

  @Test("A name that does not fit is whole, on its own line", arguments: [20, 40, 80])
  func longName(width: Int) {
    let long = "A-very-long-name-of-a-sound-recorded-on-Monday.wav"
    let lines = names(["/x/" + long, "/x/s.wav"], width: width).split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == long, "\(lines)")
    #expect(lines[1].hasPrefix("          ended ") && lines[2].hasPrefix("s.wav     ended "))
  }

  @Test("A looped sequence is shown as a loop, with its next sound", arguments: [40, 80])
  func sequence(width: Int) {
    var sound = SoundStatus(
      "umbrella", output: "default", state: .playing, position: .zero, duration: .seconds(12),
      path: "/umbrella.flac")
    (sound.playsLeft, sound.next) = (nil, "/x/souziki.flac")
    var report = SoundStatusReport(sounds: [sound])
    report.width = width
    #expect(report.text(.plain).contains("  loop, next souziki.flac\n"))
    let facts = LiveView(sound).facts.map(\.text)
    #expect(facts.suffix(2) == ["loop", "next souziki.flac"])
  }

  @Test("A device without underruns is not mentioned")
  func none() throws {
    #expect(try text(0).split(separator: "\n").count == 1)
  }
}
