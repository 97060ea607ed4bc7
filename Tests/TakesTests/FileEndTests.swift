import Audio
import Control
import Devices
import Files
import Foundation
import JSON
import Linux
import Store
import Support
import Synchronization
import Testing

@testable import Recording
@testable import Takes

/// A host that stores the paths of the complete files.
private final class Completions: PlainTakeHost {
  private let files = Mutex<[String?]>([])

  var paths: [String?] { files.withLock { $0 } }

  func completed(_ result: RecordingResult, of plan: RecordingPlan) {
    files.withLock { $0.append(result.path) }
  }
}

@Suite("The end of the files of a take", .timeLimit(.minutes(2)))
final class FileEndTests {
  private let scratch: ScratchDirectory
  private let store: MachineStore
  private let host = Completions()

  init() throws {
    scratch = try ScratchDirectory()
    store = MachineStore(SessionPaths(state: scratch.path("state"), runtime: scratch.path("run")))
  }

  /// Adds an older file of the series that `plan` continues.
  private func addOlder(_ plan: RecordingPlan) throws {
    var facts = TakeFacts(
      identifier: "older", name: "call", device: "test:ramp",
      stream: StreamFormat(rate: .hz48000, channels: .stereo, sample: .int16), format: .wav)
    let path = try scratch.write("older", to: "older.wav")
    (facts.path, facts.bytes) = (path, 5)
    var result = RecordingResult(
      facts, reason: .stopped, exit: 0, began: KernelClock.realTime.now)
    result.series = plan.output.series
    try store.catalogue.add(result)
    try store.savedFiles.remember(SavedFile(result, path: path, FileStatus(of: path), digest: nil))
  }

  /// Records to the directory `takes` with a file for each of two tracks. Returns the result of the
  /// finished files.
  private func record(
    replacing: Bool = false, _ meanwhile: () throws -> Void
  ) throws -> RecordingResult {
    try Directory(scratch.path).makeDirectory("takes")
    var plan = RecordingPlan(
      identifier: "new", name: "call", capture: CapturePlan(device: "test:ramp"),
      output: OutputPlan(path: scratch.path("takes/call-mic.wav"), format: .wav))
    plan.capture.tracks = ["mic", "far"].map { Track(name: $0, device: "test:ramp") }
    plan.output.tracks = ["mic", "far"]
    plan.output.keep = .count(1)
    plan.output.replaces = replacing
    try addOlder(plan)
    let take = try LiveTake(
      plan, #require(SessionName("call")),
      from: CaptureDevice(plan.capture.tracks, TakeFormats.request(plan)),
      into: Directory(scratch.path("takes")), store, host, reopening: { _ in true })
    try eventually { take.recording.captured > 4_800 }
    try meanwhile()
    let access = try TestAccess(in: scratch.path)
    let controller = SessionController(
      take, host,
      SessionAccess(takeLosses: { ([], false) }, check: {}, reader: access.access))
    controller.end(.stopped)
    try eventually { take.recording.end != nil }
    let finish = try take.finish(controller.result)
    _ = try finish.done.descriptor.wait(upTo: .seconds(60))
    return finish.result
  }

  @Test("Files with their final names are complete, and replace older files of the series")
  func whole() throws {
    let result = try record {}
    #expect(result.exit == 0 && result.path == scratch.path("takes/call-mic.wav"), "\(result)")
    #expect(host.paths == [result.path])
    #expect(try !scratch.names().contains("older.wav"))
  }

  @Test("A lost file is not complete, and replaces no older file")
  func lost() throws {
    let result = try record { try FileManager.default.removeItem(atPath: scratch.path("takes")) }
    #expect(result.exit == Outcome.incomplete.rawValue && result.path == nil, "\(result)")
    #expect(host.paths.isEmpty)
    #expect(try scratch.names().contains("older.wav"))
  }

  @Test("The message names the removed file, also if it is the file of a further track")
  func removedTrack() throws {
    let part = scratch.path("takes/.call-mic.wav.part-far")
    let result = try record { try FileManager.default.removeItem(atPath: part) }
    #expect(result.exit == Outcome.incomplete.rawValue, "\(result)")
    #expect(result.message?.contains("another program removed \"" + part) == true, "\(result)")
  }

  @Test("A file without its hidden name is copied, and the result names the copy")
  func copiedTrack() throws {
    let (part, far) = (scratch.path("takes/.call-mic.wav.part-far"), "takes/call-far.wav")
    let result = try record(replacing: true) {
      try scratch.write("old", to: far)
      try FileManager.default.removeItem(atPath: part)
    }
    #expect(result.tracks[1].file == scratch.path("takes/call-far-002.wav"), "\(result)")
    #expect(try scratch.read("takes/call-far-002.wav").count > 4_800 * 2)
    #expect(try scratch.read(far).count == 3)
  }

  @Test("Files that keep their hidden names are not complete")
  func hidden() throws {
    let result = try record {
      // Without an announcement, the files of several tracks keep their hidden names.
      try? FileManager.default.removeItem(atPath: scratch.path("state"))
      try scratch.write("", to: "state")
    }
    #expect(result.exit == Outcome.incomplete.rawValue, "\(result)")
    #expect(result.path == scratch.path("takes/.call-mic.wav.part"))
    #expect(host.paths.isEmpty)
  }

  private struct Weak {
    weak var sync: DiskSync?
  }

  /// The plan of a take with one raw file.
  private var rawPlan: RecordingPlan {
    RecordingPlan(
      identifier: "new", name: "a", capture: CapturePlan(device: "test:ramp"),
      output: OutputPlan(path: scratch.path("a.raw"), format: .raw))
  }

  /// Creates the first file of a take, without frames.
  private func begin(_ plan: RecordingPlan) throws -> (formats: TakeFormats, series: TakeSeries) {
    let device = try CaptureDevice(plan.capture.tracks, TakeFormats.request(plan))
    let formats = try TakeFormats(plan, device: device.setup)
    let first = try TakeSeries.firstPartFile(plan, store, in: Directory(scratch.path))
    let series = TakeSeries(
      plan, formats, store, host, from: first.partFile, number: first.number)
    return (formats, series)
  }

  @Test("The thread of a file that is never finished ends")
  func dropped() throws {
    let series = try begin(rawPlan).series
    let file = try series.open(series.partFile)
    let thread = Weak(sync: file.sync)
    #expect(thread.sync != nil)
    _ = consume file
    try eventually { thread.sync == nil }
  }

  /// Finishes a raw file of 4,800 frames with these events, after it has lost the last 1,800.
  private func finishCut(
    _ sidecar: OutputPlan.Sidecar, _ events: [PositionedEvent], replacing isReplacing: Bool = false
  ) throws -> RecordingResult {
    var plan = rawPlan
    plan.output.sidecar = sidecar
    plan.output.replaces = isReplacing
    let (formats, series) = try begin(plan)
    let file = try series.open(series.partFile)
    let writers = file.writers
    let handoff = Handoff(file)
    let size = formats.file.bytesPerFrame
    let samples = [UInt8](repeating: 1, count: 4_800 * size)
    for writer in writers { try writer.write(samples.span.bytes) }
    #expect(truncate(series.partFile.partPath, 3_000 * size) == 0)
    var segment = TakeSegment(number: 1, began: .now)
    segment.frames.captured = 4_800
    segment.events = events
    var facts = TakeFacts(
      identifier: "new", name: "a", device: "test:ramp", stream: formats.device, format: .raw)
    facts.frames = segment.frames
    var result = RecordingResult(facts, reason: .disk, exit: 0, began: .zero)
    var finish = SegmentFinish(
      plan: plan, store: store, host: host, formats: formats, segment: segment)
    _ = finish.run(handoff, &result)
    return result
  }

  @Test("The total of a take has the frames of its files, also of a file that lost its end")
  func total() throws {
    let plan = rawPlan
    let (formats, series) = try begin(plan)
    let file = try series.open(series.partFile)
    let size = formats.file.bytesPerFrame
    let samples = [UInt8](repeating: 1, count: 4_800 * size)
    for writer in file.writers { try writer.write(samples.span.bytes) }
    #expect(truncate(series.partFile.partPath, 3_000 * size) == 0)
    var segments = [1, 2].map { TakeSegment(number: $0, began: .now) }
    for index in segments.indices { segments[index].frames.captured = 4_800 }
    let files = series.files
    files.complete(file, segments[0], nil)
    guard let next = files.next(2, .now) else {
      Issue.record("there is no second file")
      return
    }
    for writer in next.writers { try writer.write(samples.span.bytes) }
    files.complete(next, segments[1], RecordingEnd(capture: .stopped, write: .captureEnded))
    var facts = TakeFacts(
      identifier: "new", name: "a", device: "test:ramp", stream: formats.device, format: .raw)
    facts.frames.captured = 9_600
    let finish = try series.finish(
      RecordingResult(facts, reason: .stopped, exit: 0, began: .zero))
    _ = try finish.done.descriptor.wait(upTo: .seconds(60))
    let total = try #require(finish.result.total)
    #expect(finish.result.frames.onDisk == 4_800 && total.files == 2)
    #expect(total.frames.onDisk == 7_800 && total.frames.lost == 1_800)
  }

  @Test("The sidecar of a file that lost its end has the loss, and no event after the end")
  func cut() throws {
    let result = try finishCut(.always, [PositionedEvent(at: 4_000, .mark("here"))])
    let gap = Gap(position: 3_000, length: 1_800, cause: .disk)
    #expect(result.frames.captured == 3_000 && result.gaps == [gap])
    let text = try String(decoding: scratch.read("a.raw.json"), as: UTF8.self)
    let sidecar = try JSONValue(decoding: text)
    #expect(
      sidecar["events"]?.array?.compactMap(PositionedEvent.init(json:)) == [
        PositionedEvent(at: 3_000, .mark("here")),
        PositionedEvent(at: 3_000, .gap(gap, isFilled: false)),
      ])
  }

  @Test("A loss after the end of a file needs no sidecar")
  func cutWithoutEvents() throws {
    let result = try finishCut(.automatic, [])
    #expect(result.frames.lost == 1_800 && result.path == scratch.path("a.raw"))
    #expect(try !scratch.names().contains("a.raw.json"))
  }

  @Test(
    "The sidecar of a replaced file is removed, but no other file of that name",
    arguments: [
      (#"{"id":"old","events":[]}"#, false), (#"{"id":"old"}"#, true), ("precious", true),
    ])
  func replaced(text: String, stays: Bool) throws {
    try scratch.write("old", to: "a.raw")
    try scratch.write(text, to: "a.raw.json")
    let result = try finishCut(.automatic, [], replacing: true)
    #expect(result.path == scratch.path("a.raw"), "\(result)")
    #expect(try scratch.names().contains("a.raw.json") == stays)
  }

  @Test("The sidecar of a file that is elsewhere stays, if no file is replaced")
  func moved() throws {
    try scratch.write(#"{"id":"old","events":[]}"#, to: "a.raw.json")
    let result = try finishCut(.automatic, [], replacing: true)
    #expect(result.path == scratch.path("a.raw"), "\(result)")
    #expect(try scratch.names().contains("a.raw.json"))
  }
}
