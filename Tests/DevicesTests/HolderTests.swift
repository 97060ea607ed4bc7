import Foundation
import Linux
import Support
import Testing

@testable import Devices

@Suite("The holder of a device")
struct HolderTests {
  @Test(
    "is looked for on the card that the name means",
    arguments: [
      ("hw:CARD=Loopback,DEV=1", "Loopback", 1), ("hw:Loopback,1", "Loopback", 1),
      ("plughw:0", "0", nil), ("hw:2,3,4", "2", 3), ("hw:CARD=0,DEV=3,SUBDEV=4", "0", 3),
      ("hw:DEV=3,CARD=x", "x", 3), ("default", nil, nil), ("hw:", nil, nil), ("", nil, nil),
    ] as [(String, String?, Int?)])
  func address(name: String, card: String?, device: Int?) {
    let address = CardAddress(pcm: name)
    #expect(address.card == card)
    #expect(address.device == device)
  }

  @Test("is read from the kernel's files, as a process and not a thread")
  func files() throws {
    let root = try ScratchDirectory()
    let status = "state: RUNNING\nowner_pid   : 4712\n"
    try write(in: root.path, "asound/card0/id", "Loopback\n")
    try write(in: root.path, "asound/card0/pcm0c/sub0/status", "closed\n")
    try write(in: root.path, "asound/card0/pcm0c/sub1/status", status)
    try write(in: root.path, "asound/card0/pcm0c/sub2/status", status)
    try write(in: root.path, "asound/card0/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 9\n")
    try write(in: root.path, "asound/card1/id", "PCH\n")
    try write(in: root.path, "asound/card1/pcm0c/sub0/status", "closed\n")
    try write(in: root.path, "4712/status", "Name:\tworker\nTgid:\t4711\nPid:\t4712\n")
    try write(in: root.path, "4711/comm", "arecord\n")
    let path = root.path
    func holders(_ name: String, _ direction: Direction) -> [String] {
      DeviceHolder.holders(of: name, direction, processes: path).map(\.description)
    }
    #expect(holders("hw:Loopback,0", .capture) == ["arecord (process 4711)"])
    #expect(holders("hw:0,0", .capture) == ["arecord (process 4711)"])
    #expect(holders("hw:0,1", .capture) == [])
    #expect(holders("hw:PCH", .capture) == [])
    #expect(holders("default", .playback) == ["process 9"])
  }

  @Test("records directly through ALSA, and is listed with its device")
  func uses() throws {
    let root = try ScratchDirectory()
    let own = ProcessInfo.processInfo.processIdentifier
    try write(in: root.path, "asound/card0/id", "PCH\n")
    try write(in: root.path, "asound/card0/pcm0c/info", "card: 0\nname: HDMI: ALC257\n")
    try write(in: root.path, "asound/card0/pcm0c/sub0/status", "owner_pid   : \(own)\n")
    try write(in: root.path, "asound/card0/pcm1c/sub0/status", "closed\n")
    try write(in: root.path, "asound/card0/pcm0p/sub0/status", "owner_pid   : \(own)\n")
    let uses = DeviceUse.throughKernel(processes: root.path)
    #expect(uses.map(\.device) == ["hw:CARD=PCH,DEV=0"])
    #expect(uses.map(\.title) == ["HDMI: ALC257"])
    #expect(uses.first?.program == RunningProgram(own))
    #expect(uses.first?.route == .alsa && uses.first?.isPlayed == false)
  }

  private func write(in root: String, _ name: String, _ text: String) throws {
    let file = URL(filePath: root).appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test("is empty if the kernel has no sound")
  func nothing() throws {
    let root = try ScratchDirectory()
    #expect(DeviceHolder.holders(of: "hw:0", .capture, processes: root.path) == [])
  }
}
