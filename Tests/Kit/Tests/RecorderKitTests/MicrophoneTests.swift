import Bench
import Foundation
import RecorderKit
import Synchronization
import Testing

@Suite("The permission in the program", .timeLimit(.minutes(5)))
struct MicrophoneTests {
  /// A prompt that counts its questions and answers on command.
  private final class Desk: Sendable {
    let asked = Atomic<Int>(0)
    let open: AsyncStream<Void>
    private let door: AsyncStream<Void>.Continuation

    init() { (open, door) = AsyncStream.makeStream() }

    func answer() { door.finish() }

    func prompt(_ answer: Microphone.Prompt.Answer) -> Microphone.Prompt {
      Microphone.Prompt { _, _ in
        self.asked.add(1, ordering: .relaxed)
        for await _ in self.open {}
        return answer
      }
    }

    func wait(for count: Int) async {
      while asked.load(ordering: .relaxed) < count { await Task.yield() }
    }
  }

  @Test("Two simultaneous requests ask once, and both get the answer")
  func twoAskers() async {
    let client = await Home.client(granting: false)
    let desk = Desk()
    let prompt = desk.prompt(.always)
    async let first = Microphone.requestAccess(for: "test:ramp", client: client, asking: prompt)
    async let second = Microphone.requestAccess(for: "test:ramp", client: client, asking: prompt)
    await desk.wait(for: 1)
    desk.answer()
    let statuses = await [first, second]
    #expect(statuses == [.authorized, .authorized])
    #expect(desk.asked.load(ordering: .relaxed) == 1)
  }

  @Test("A cancelled request is withdrawn, and decides nothing")
  func withdrawn() async {
    let client = await Home.client(granting: false)
    let desk = Desk()
    let request = Task {
      await Microphone.requestAccess(
        for: "test:ramp", client: client, asking: desk.prompt(.always))
    }
    await desk.wait(for: 1)
    request.cancel()
    #expect(await request.value == .notDetermined)
    desk.answer()
    #expect(Microphone.authorization(for: "test:ramp", client: client) == .notDetermined)
  }

  @Test("A user who has decided is not asked again")
  func decided() async {
    let client = await Home.client()
    let prompt = Microphone.Prompt { _, _ in
      Issue.record("asked again")
      return .never
    }
    let status = await Microphone.requestAccess(for: "test:ramp", client: client, asking: prompt)
    #expect(status == .authorized)
  }

  @Test("The access of another client does not count")
  func clients() async {
    _ = await Home.client()
    let other = await Home.client(granting: false)
    #expect(Microphone.authorization(for: "test:ramp", client: other) == .notDetermined)
  }

  @Test("The changes begin with the current status, and later ones follow")
  func changes() async {
    let client = await Home.client(granting: false)
    var changes = Microphone.changes(for: "test:ramp", client: client).makeAsyncIterator()
    #expect(await changes.next() == .notDetermined)
    await Microphone.requestAccess(
      for: "test:ramp", client: client, asking: Microphone.Prompt { _, _ in .always })
    #expect(await changes.next() == .authorized)
  }

  @Test("Without a terminal, nothing is asked or decided")
  func noTerminal() async throws {
    let client = await Home.client(granting: false)
    #expect(await Microphone.requestAccess(for: "test:ramp", client: client) == .notDetermined)
  }

  @Test("The lists of devices contain no test devices")
  func noTestDevices() async {
    let devices = await Device.microphones + Device.speakers
    #expect(!devices.contains { $0.id.hasPrefix("test:") }, "\(devices.map(\.id))")
  }

  @Test(
    "The devices of PipeWire have a name, channels and rates",
    .enabled(if: ProcessInfo.processInfo.environment["RECORDER_PACED_CARD"] != nil))
  func nodes() async throws {
    let microphones = await Device.microphones
    let speakers = await Device.speakers
    for (id, devices) in [
      ("pipewire:NODE=microphone", microphones), ("pipewire:NODE=speaker", speakers),
    ] {
      let node = try #require(devices.first { $0.id == id }, "\(devices.map(\.id))")
      #expect(!node.name.isEmpty && node.channelCount ?? 0 > 0 && node.sampleRates.contains(48_000))
    }
  }

  @Test("Devices with the same identifier are equal")
  func sameDevice() async {
    #expect(Device("hw:1") == "hw:1" && Device("hw:1") != "hw:2")
    #expect(Device("\u{E9}") != Device("e\u{301}"))
    #expect(Device("hw:1").name == "hw:1" && Device("hw:1").channelCount == nil)
    for device in await Device.speakers { #expect(Device(device.id) == device) }
  }

  @Test("The name of this program is a valid client name")
  func current() {
    #expect(Microphone.Client(Microphone.Client.current.name) == .current)
    #expect(Microphone.Client("*") == nil && Microphone.Client("A b") == nil)
  }

  @Test("A revocation ends the recording immediately, and the program continues")
  func revoked() async throws {
    let command = try Command()
    let recorder = await Home.recorder()
    let take = try await recorder.start(to: Home.file("wav"))
    let wait = ProcessorWait()
    async let code = command.run("permission", "revoke", "--as", recorder.client.name)
    let result = await take.result
    #expect(result.reason == .permission && result.path == take.path && result.isComplete)
    #expect(try await code == 0)
    // Both programs log the time at which they act.
    let moments = try Audit.moments(of: recorder.client.name, in: Home.state)
    let passed = try #require(moments["stop"]) - #require(moments["revoke"])
    #expect(passed < 0.25 + wait.longest / .seconds(1), "\(passed) s")
    #expect(
      Microphone.authorization(for: "test:ramp", client: recorder.client) == .denied)
  }
}

/// The command `recorder`, as built with these tests.
struct Command {
  struct Missing: Error {}
  let path: String

  init() throws {
    _ = Home.path
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let programs =
      ProcessInfo.processInfo.environment["RECORDER_PROGRAMS"]
      ?? root.appendingPathComponent(".build/debug").path
    path = programs + "/recorder"
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Missing() }
  }

  /// Runs the command, and returns its exit code.
  func run(_ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = nil
    process.standardError = nil
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
