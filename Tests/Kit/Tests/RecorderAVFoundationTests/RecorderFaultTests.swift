import Bench
import RecorderAVFoundation
import RecorderKit
import Testing

/// Rows 58, 59 and 76 to 82 of the conformance table: recorders that may not record, and unwanted
/// ends.
@Suite("AVAudioRecorder: refusals and faults")
struct RecorderFaultTests {
  let probe: Probe

  init() throws { probe = try Probe() }

  @Test("Row 58: without access to the microphone, nothing is prepared, recorded or written")
  func denied() throws {
    try probe.decide("revoke")
    let end = try probe.run("record", "a.wav", "1")
    #expect(end.output == "prepared false\nrecording false\n")
    #expect(try !probe.scratch.names.contains { $0.contains("a.wav") })
  }

  @Test("Row 59: without a decision, record does not ask and returns false")
  func undecided() throws {
    let terminal = try Terminal()
    try terminal.start(
      Probe.path, ["record", probe.scratch.path("a.wav"), "1"], environment: probe.environment)
    let shown = try #require(terminal.read(until: "recording "))
    #expect(shown.contains("prepared false"))
    #expect(!shown.contains("Allow"))
    #expect(try !probe.scratch.names.contains { $0.contains("a.wav") })
  }

  @Test("Row 76: a killed program loses at most the last half second")
  func killed() async throws {
    try probe.decide("grant")
    let running = try probe.start("record", "a.wav")
    #expect(running.line() == "prepared true")
    #expect(running.line() == "recording true")
    let (begin, wait) = (ContinuousClock.now, ProcessorWait(of: running.identifier))
    try await eventually { probe.partSize > 140_000 }
    let lasted = (ContinuousClock.now - begin - wait.longest) / .seconds(1)
    running.kill()
    #expect(running.wait() == -SIGKILL)
    let recovered = try probe.recorder("recover")
    #expect(recovered.code == 0, "\(recovered.output) \(recovered.errors)")
    let saved = try AudioFileReader(probe.scratch.path("a-recovered.wav"))
    let length = Double(saved.length) / 48_000
    #expect(length > lasted - 0.5, "\(length) of \(lasted)")
  }

  @Test("Row 79: a revocation ends the recording in 250 ms, keeps the file and is reported")
  func revoked() async throws {
    try probe.decide("grant")
    let running = try probe.start("record", "a.wav")
    #expect(running.line() == "prepared true")
    #expect(running.line() == "recording true")
    try await eventually { probe.partSize > 24_000 }
    let revocation = try probe.recorder("permission", "revoke", "--as", Probe.client)
    #expect(revocation.code == 0, "\(revocation.output) \(revocation.errors)")
    let told = running.lines()
    #expect(told.first?.hasPrefix("error ") == true, "\(told)")
    #expect(told.dropFirst() == ["finished false", "isRecording false"])
    #expect(running.wait() == 0)
    #expect(try AudioFileReader(probe.scratch.path("a.wav")).length > 12_000)
    // Both times come from the log, written by the programs that act. The file is complete before
    // its end is logged.
    let moments = try Audit.moments(of: Probe.client, in: probe.scratch.file("state"))
    let lasted = try #require(moments["stop"]) - #require(moments["revoke"])
    let waited = try #require(Double(probe.scratch.text("waited")))
    #expect(lasted > 0 && lasted < 0.25 + waited, "\(lasted) s, \(waited) s without a processor")
  }

  @Test("Row 80: recorder lists the recording, and recorder stop ends it with success")
  func stoppedElsewhere() throws {
    try probe.decide("grant")
    let running = try probe.start("record", "a.wav")
    #expect(running.line() == "prepared true")
    #expect(running.line() == "recording true")
    let status = try probe.recorder("status")
    #expect(status.output.contains(Probe.client), "\(status.output)")
    let stop = try probe.recorder("stop")
    #expect(stop.code == 0, "\(stop.errors)")
    #expect(running.lines() == ["finished true", "isRecording false"])
    #expect(try AudioFileReader(probe.scratch.path("a.wav")).length > 0)
  }

  @Test("Row 82: a released recorder saves its file")
  func released() async throws {
    let scratch = try Scratch()
    let url = scratch.file("a.wav")
    var recorder: AVAudioRecorder? = try AVAudioRecorder(
      url: url, settings: [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
    try #require(recorder?.record() == true)
    recorder = nil
    try await eventually { FileManager.default.fileExists(atPath: url.path) }
    #expect(try AudioFileReader(url.path).length > 0)
  }
}
