internal import Audio
internal import CommandLine
internal import Control
internal import Files
internal import JSON
internal import Linux
internal import Recording
internal import Synchronization

/// Ends the file of a take on a thread of its own, because a disk may take long.
final class TakeFinish: Sendable {
  /// Readable once it is done.
  let done: Event
  private let take: LiveTake
  private let events: [PlacedEvent]
  private let answer: Mutex<RecordingResult>

  /// Begins to end it; what becomes of it is told in `result`.
  init(
    _ take: LiveTake, _ events: [PlacedEvent], _ result: RecordingResult
  ) throws(SystemError) {
    self.take = take
    self.events = events
    answer = Mutex(result)
    done = try Event()
    // Where there is no room for a thread the file is ended all the same.
    if (try? Thread("finish") { [self] in self.run() }) == nil { run() }
  }

  private func run() {
    let result = finish(self.result)
    answer.withLock { $0 = result }
    done.signal()
  }

  var result: RecordingResult { answer.withLock { $0 } }

  private func finish(_ result: RecordingResult) -> RecordingResult {
    guard case .file(let place, let written, let sync) = take.target else { return result }
    sync.end()
    guard result.reason != .cancelled, result.frames.onDisk > 0 else {
      place.discard()
      return result
    }
    var result = result
    if let file = written.take() { close(file, &result) }
    publish(place, &result)
    return result
  }

  /// Ends the file; where that fails, at least its header has to say what it holds.
  private func close(_ writer: consuming SoundFileWriter, _ result: inout RecordingResult) {
    let (file, settings) = (writer.file, writer.settings)
    let cues = events.compactMap { $0.cue(at: take.input.rate) }
    do throws(SoundFileError) {
      try writer.close(cues: cues)
    } catch {
      result.add("\(error)", .incomplete)
      guard settings.format == .wav, let frames = repair(file, cues, settings.tags) else { return }
      // The write that failed may have brought a part of what it was given.
      let held = frames.converted(from: settings.stream.rate, to: take.input.rate)
      result.frames.captured += held - result.frames.onDisk
    }
  }

  /// Repairs the header, with the marks where there is room for them; returns the frames behind it.
  private func repair(
    _ file: CheckedFile, _ cues: [SoundFileCue], _ tags: SoundFileTags
  ) -> FrameCount? {
    guard let other = try? file.duplicate(),
      let repaired = try? CheckedFile(other, named: file.label)
    else { return nil }
    if let whole = try? repaired.recoverWave(cues: cues, tags: tags) { return whole.frames }
    guard let last = try? file.duplicate(),
      let plain = try? CheckedFile(last, named: file.label)
    else { return nil }
    return (try? plain.repairWave())?.frames
  }

  private func publish(_ place: PartFile, _ result: inout RecordingResult) {
    do throws(SystemError) {
      let name = try place.publish()
      result.path = place.directory.path(of: name)
      if name != place.name {
        result.add("\(quoted(place.path)) exists by now, so it has another name", .outputRefused)
      }
      result.bytes = (try? place.directory.status(of: name))?.size ?? result.bytes
      try writeSidecar(name + ".json", place, &result)
    } catch {
      if result.path == nil { result.path = place.partPath }
      result.add("\(error)", .incomplete)
    }
  }

  private func writeSidecar(
    _ name: String, _ place: PartFile, _ result: inout RecordingResult
  ) throws(SystemError) {
    guard take.plan.output.needsSidecar(events) else { return }
    var json = result.json.object ?? [:]
    json.set("title", take.plan.output.title)
    json.set("note", take.plan.output.note)
    json["events"] = .array(events.map(\.json))
    var members: JSONObject = ["schema": 1]
    for member in json.members { members[member.key] = member.value }
    let text = Array((JSONValue.object(members).encoded(indented: true) + "\n").utf8)
    if !take.plan.output.replaces, (try? place.directory.status(of: name)) != nil {
      result.add("\(quoted(name)) exists, so no sidecar was written", .incomplete)
      return
    }
    try AtomicFile.write(text.span, to: name, in: place.directory)
    result.sidecar = place.directory.path(of: name)
  }
}

extension RecordingResult {
  /// Adds what went wrong at the end; what was wrong before stays.
  fileprivate mutating func add(_ words: String, _ code: ExitCode) {
    if message?.contains(words) != true {
      message = [message, words].compactMap(\.self).joined(separator: "; ")
    }
    if exit == 0 { exit = code.rawValue }
  }
}

extension OutputPlan {
  /// Whether there is something that the file itself cannot say.
  func needsSidecar(_ events: [PlacedEvent]) -> Bool {
    switch sidecar {
    case .always: true
    case .never: false
    case .automatic:
      (format != .wav && !events.isEmpty) || events.contains(where: \.isLoss)
        || (format == .raw && (title ?? note) != nil)
    }
  }
}

extension PlacedEvent {
  /// Whether the file's time and the clock's differ from here on.
  fileprivate var isLoss: Bool {
    switch event {
    case .mark: false
    case .paused, .resumed, .gap: true
    }
  }
}
