import Audio
import Control
import Foundation
import Linux
import Support
import Testing
import Store

@Suite("Files that sessions leave")
struct SessionStoreTests {
  private let usual = SessionName.usual

  private func store(_ scratch: borrowing ScratchDirectory) -> MachineStore {
    MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
  }

  private func record(_ identifier: String, part: String? = nil) -> SessionRecord {
    var record = SessionRecord(
      identifier: identifier, name: usual.text, process: 7, device: "test:ramp", path: "/a.wav",
      began: .seconds(1_000))
    record.parts = [part].compactMap(\.self).map { RecordedPart(path: $0) }
    return record
  }

  private func result(_ identifier: String) -> RecordingResult {
    RecordingResult(
      TakeFacts(
        identifier: identifier, name: usual.text, device: "test:ramp",
        stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav),
      reason: .stopped, exit: 0, began: .seconds(1_000))
  }

  @Test(
    "A name is one that no path and no terminal can misread",
    arguments: [
      ("default", true), ("A.b-c_9", true), ("", false), (".", false), ("..", false),
      (".hidden", false), ("-x", false), ("a/b", false), ("a b", false), ("ä", false),
      (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ])
  func names(text: String, isName: Bool) {
    #expect((SessionName(text) != nil) == isName)
  }

  @Test("The journal of a part that was moved away is kept while a record has the part")
  func journalOfMovedPart() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    try FileManager.default.createDirectory(
      atPath: scratch.path("disk"), withIntermediateDirectories: false)
    var journals: [String] = []
    for identifier in ["a1", "b2"] {
      let part = try scratch.write("sound", to: ".\(identifier).wav.part")
      journals.append(try scratch.write("{}", to: ".\(identifier).wav.part.jsonl"))
      let status = try FileStatus(of: part)
      if identifier == "a1" { try store.sessions.publish(record("a1", part: part), as: usual) }
      try store.announcements.add(
        TakeAnnouncement(result(identifier), in: part, status), status)
      try FileManager.default.moveItem(
        atPath: part, toPath: scratch.path("disk/\(identifier).part"))
    }
    store.announcements.addTakes()
    #expect(journals.map { FileManager.default.fileExists(atPath: $0) } == [true, false])
  }

  @Test("An unreadable announcement is kept and reported until its file is announced again")
  func unreadableAnnouncement() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    let part = try scratch.write("sound", to: ".a.wav.part")
    let status = try FileStatus(of: part)
    let announcement = TakeAnnouncement(result("a1"), in: part, status)
    try store.announcements.add(announcement, status)
    let names = try FileManager.default.contentsOfDirectory(atPath: store.paths.ending)
    let name = try #require(names.first)
    try scratch.write("{\"result\":", to: "state/ending/" + name)
    for _ in 0..<2 {
      #expect(store.announcements.addTakes() == [store.paths.ending + "/" + name])
    }
    try store.announcements.add(announcement, status)
    #expect(store.announcements.addTakes().isEmpty)
  }

  @Test("A meter that ended leaves no file, and one in another program is marked as hosted")
  func hostedMeter() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    var hosted = record("a1")
    hosted.isHosted = true
    do {
      let first = try store.meters.mark(hosted)
      let second = try store.meters.mark(record("b2"))
      #expect(store.sessions.listeners.map(\.record.identifier) == ["a1", "b2"])
      #expect(store.sessions.listeners.map(\.record.isHosted) == [true, false])
      _ = consume first
      _ = consume second
    }
    #expect(store.sessions.listeners.isEmpty)
    #expect(try Directory(store.paths.meters).names().isEmpty)
  }

  @Test("A lock shows that a session lives, and a second session does not get it")
  func lock() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    #expect(!store.sessions.isLive(usual))
    do {
      let lock = try store.sessions.lock(usual)
      let (isHeld, isLive) = (lock != nil, store.sessions.isLive(usual))
      #expect(isHeld && isLive)
      let isRefused = try store.sessions.lock(usual, waitingUpTo: .milliseconds(5)) == nil
      #expect(isRefused)
      _ = consume lock
    }
    #expect(!store.sessions.isLive(usual))
  }

  @Test("A live recording will save the files of all its tracks", arguments: ["", "-002"])
  func comingFiles(number: String) throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    var record = record("a1")
    record.path = "/call-mic\(number).wav"
    record.output = OutputPlan(path: "/call-mic.wav", format: .wav)
    record.output?.tracks = ["mic", "far"]
    try store.sessions.publish(record, as: usual)
    #expect(store.sessions.recording(at: "/call-far\(number).wav") == nil)
    let lock = try store.sessions.lock(usual)
    for track in ["mic", "far"] {
      #expect(store.sessions.recording(at: "/call-\(track)\(number).wav") == record)
    }
    #expect(store.sessions.recording(at: "/call\(number).wav") == nil)
    _ = consume lock
  }

  @Test(
    "A part of a dead session stays known while it exists, even if its name is used again")
  func setAside() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    let dead = record("a1", part: try scratch.write("sound", to: ".a.wav.part"))
    try store.sessions.publish(dead, as: usual)
    let next = record("b2", part: scratch.path(".b.wav.part"))
    try store.sessions.publish(next, as: usual)
    #expect(store.sessions.records == [next] && store.deadSessions.setAside == [dead])
    try Directory(scratch.path).remove(".a.wav.part")
    store.sessions.withdraw(usual)
    #expect(store.sessions.records == [] && store.deadSessions.setAside == [])
  }

  @Test("A session that moves to another socket says so in its record")
  func moves() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    try store.sessions.move(usual, to: "/none")
    #expect(store.sessions.record(of: usual) == nil)
    try store.sessions.publish(record("a1"), as: usual)
    try store.sessions.move(usual, to: "/elsewhere/default.sock")
    #expect(store.sessions.record(of: usual)?.socket == "/elsewhere/default.sock")
    #expect(store.sessions.record(of: usual)?.identifier == "a1")
  }

  @Test("A result exists until it is reported, and that of a newer session remains")
  func results() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    #expect(store.sessions.result(of: usual) == nil)
    try store.sessions.leave(result("b2"), of: usual)
    store.sessions.consume(result("a1"), of: usual)
    #expect(store.sessions.result(of: usual) == result("b2"))
    store.sessions.consume(result("b2"), of: usual)
    #expect(store.sessions.result(of: usual) == nil)
  }

  @Test("Ends count as unreported until they are reported, one for each name")
  func unreported() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    let other = try #require(SessionName("other"))
    let part = try scratch.write("sound", to: ".a.wav.part")
    var ended = result("b2")
    ended.name = other.text
    try store.sessions.leave(ended, of: other)
    try store.sessions.publish(record("a1", part: part), as: usual)
    do {
      let lock = try store.sessions.lock(usual)
      #expect(store.sessions.unreported.map(\.name) == [other])
      _ = consume lock
    }
    #expect(store.sessions.unreported.map(\.name) == [usual, other])
    try store.sessions.leave(result("c3"), of: usual)
    #expect(store.sessions.unreported.map(\.name) == [usual, other])
    store.sessions.consume(result("c3"), of: usual)
    store.sessions.consume(ended, of: other)
    try FileManager.default.removeItem(atPath: part)
    #expect(store.sessions.unreported.map(\.name) == [usual])
    store.deadSessions.noteReported(record("a1", part: part))
    #expect(store.sessions.unreported.isEmpty)
  }

  @Test("A truncated line of the catalogue hides no other line")
  func catalogue() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    #expect(store.catalogue.takes == [])
    try store.catalogue.add(result("a1"))
    let file = try Descriptor(
      opening: scratch.path("state/takes.jsonl"), [.writeOnly, .append])
    try file.writeAll(Array("{\"id\":\"x".utf8).span)
    try store.catalogue.add(result("b2"))
    #expect(store.catalogue.takes == [result("a1"), result("b2")])
    #expect(store.catalogue.result(identifiedBy: "a1") == result("a1"))
    #expect(store.catalogue.result(identifiedBy: "x") == nil)
  }

  @Test("An earlier file of a split recording is not its result, and not the last recording")
  func splitFile() throws {
    let scratch = try ScratchDirectory()
    let store = store(scratch)
    var ended = result("a1")
    ended.began = KernelClock.realTime.now
    var earlier = ended
    earlier.reason = .split
    try store.catalogue.add(earlier)
    #expect(store.catalogue.result(identifiedBy: "a1") == nil)
    #expect(store.catalogue.latest(nil, within: .seconds(600)) == nil)
    try store.catalogue.add(ended)
    try store.catalogue.add(earlier)
    #expect(store.catalogue.result(identifiedBy: "a1")?.reason == .stopped)
    #expect(store.catalogue.latest(nil, within: .seconds(600))?.result.reason == .stopped)
  }

  @Test("The two lines of a start are unchanged after encoding and decoding")
  func startLine() {
    var plan = RecordingPlan(
      identifier: "a1", name: "default", capture: CapturePlan(device: "hw:0"),
      output: OutputPlan(path: "/tmp/a\n.wav", format: .flac, sample: .int24Packed))
    plan.limits.duration = .seconds(90)
    #expect(StartLine.plan(from: StartLine.plan(plan)) == plan)
    let refusal = Refusal(exit: 12, "busy", advice: "wait")
    #expect(StartLine.answer(from: StartLine.refused(refusal)) == .failure(refusal))
    #expect(StartLine.answer(from: Array("{}".utf8)) == nil)
    #expect(StartLine.answer(from: []) == nil)
  }
}
