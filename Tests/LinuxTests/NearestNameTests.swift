import Testing

@testable import Linux

@Suite("Nearest names")
struct NearestNameTests {
  @Test(
    "The distance counts every slip of a finger once",
    arguments: [
      ("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abd", 1),
      ("abc", "acb", 1), ("abc", "abcd", 1), ("abcd", "acd", 1), ("kitten", "sitting", 3),
      ("devcies", "devices", 1),
    ])
  func distance(left: String, right: String, expected: Int) {
    #expect(editDistance(left, right) == expected)
    #expect(editDistance(right, left) == expected)
  }

  @Test("The dashes of an option do not make it similar to others")
  func options() {
    #expect(nearestNames(to: "--mute", among: ["--rate", "--times"]) == [])
    #expect(nearestNames(to: "--raet", among: ["--rate", "--times"]) == ["--rate"])
  }

  @Test(
    "Only similar names are suggested",
    arguments: [
      ("devcies", ["devices"]), ("dev", ["devices"]), ("d", []), ("inof", ["info"]),
      ("docker", ["doctor"]), ("zzz", []), ("st", ["start", "stop", "status"]), ("stap", ["stop"]),
    ])
  func nearest(typed: String, expected: [String]) {
    let names = ["devices", "info", "doctor", "start", "stop", "status"]
    #expect(nearestNames(to: typed, among: names) == expected)
  }
}
