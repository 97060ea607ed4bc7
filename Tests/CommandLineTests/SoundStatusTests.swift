import JSON
import Testing

@testable import CommandLine

@Suite("The status of sounds")
struct SoundStatusTests {
  private func text(_ underruns: Int, device: String = "default") throws -> String {
    let sound: JSONValue = [
      "name": "bell", "output": .string(device), "state": "playing", "position": 1, "duration": 2,
      "path": "/bell.flac",
    ]
    let output: JSONValue = ["device": .string(device), "underruns": .integer(Int64(underruns))]
    return try SoundStatusReport(["sounds": [sound], "outputs": [output]]).text(.plain)
  }

  @Test(
    "A device that ran dry is told, and how often",
    arguments: [(1, "once"), (2, "2 times"), (12_345, "12345 times")])
  func gaps(count: Int, times: String) throws {
    #expect(
      try text(count).hasSuffix(
        "\n\"default\" ran dry \(times): the machine or server was slow\n"))
    let long = try text(count, device: String(repeating: "hw:", count: 40))
    #expect(long.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(long)")
  }

  @Test("Of a device that never ran dry nothing is told")
  func none() throws {
    #expect(try text(0).split(separator: "\n").count == 1)
  }
}
