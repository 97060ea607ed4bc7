@testable import Commands
import Devices
import JSON
import Linux
import Store
import Testing

@Suite("The list of programs that record")
struct ListenersTests {
  private static let own = Environment.processIdentifier

  private func text(_ uses: DeviceUse..., fault: String? = nil) -> String {
    ListenersReport(uses: uses, fault: fault).text(.plain)
  }

  @Test("An unknown program has the reason and its own name, which is escaped")
  func unknown() {
    let use = DeviceUse(
      RunningProgram(0, unknown: .unconfirmed), name: "Fire\u{1B}fox", device: "pipewire:NODE=mic",
      title: "Blue Yeti", .pipewire)
    #expect(
      text(use) == """
          unknown (the sound server has only the process number that the program itself reported), calls itself "Fire\\x1Bfox"
              Blue Yeti, through PipeWire

        """)
    let listed = ListenersReport(uses: [use]).json["listeners"]?[0]
    #expect(listed?["identity"] == .null && listed?["pid"]?.integer == nil)
    #expect(listed?["claimedName"]?.string == "Fire\u{1B}fox")
  }

  @Test("A known program has its process, the device and the way to it, but not its own name")
  func known() {
    var program = RunningProgram(Self.own)
    program.script = "/tmp/listen.py"
    let use = DeviceUse(
      program, name: "Innocent", device: "hw:CARD=PCH,DEV=0", title: "ALC257 Analog", .alsa)
    let page = text(use)
    #expect(page.hasPrefix("  path:/") && !page.contains("Innocent"), "\(page)")
    let words = page.split { " \n".contains($0) }.joined(separator: " ")
    #expect(
      words.hasSuffix(
        " ALC257 Analog, directly through ALSA; process \(Self.own); script \"/tmp/listen.py\""),
      "\(page)")
  }

  @Test("Sound that is played and another user are named")
  func played() {
    var program = RunningProgram(Self.own)
    program.user = 4_000_000_000
    let use = DeviceUse(
      program, device: "output:speaker", title: "HDMI", isPlayed: true, .pipewire)
    let page = text(use)
    #expect(page.contains("sound of \"HDMI\", through PipeWire"), "\(page)")
    #expect(page.contains("user 4000000000"), "\(page)")
    #expect(
      ListenersReport(uses: [use]).json["listeners"]?[0]?["service"]?.string == "systemAudio")
  }

  @Test("A recording of recorder has its name and its beginning")
  func session() {
    let use = DeviceUse(
      RunningProgram(Self.own), device: "pipewire:NODE=mic", title: "Mic", .pipewire)
    let record = SessionRecord(
      identifier: "x", name: "talk", process: Self.own, device: "default", path: nil,
      began: .seconds(1_700_000_000))
    let report = ListenersReport(uses: [use], sessions: [record])
    #expect(report.text(.plain).contains("recording \"talk\", since 2023-11-1"))
    let listed = report.json["listeners"]?[0]
    #expect(listed?["name"]?.string == "talk")
    #expect(listed?["since"]?.string == "2023-11-14T22:13:20Z")
  }

  @Test("Without PipeWire, the list says why programs may be missing")
  func fault() {
    let page = text(fault: "PipeWire is not running")
    #expect(
      page == """
        No program is recording.
        Programs that use PipeWire are not listed: PipeWire is not running

        """)
    #expect(ListenersReport(uses: []).json["message"]?.string == nil)
  }
}
