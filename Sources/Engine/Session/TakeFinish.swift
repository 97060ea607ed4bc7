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
    _ = try Thread("finish") { [self] in
      let result = finish(self.result)
      answer.withLock { $0 = result }
      done.signal()
    }
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
    if let file = written.take(), let fault = close(file) {
      result.add(fault, .incomplete)
    }
    publish(place, &result)
    return result
  }

  /// Ends the file; where that fails, at least its header has to say what it holds.
  private func close(_ writer: consuming SoundFileWriter) -> String? {
    let (file, tags, isWave) = (writer.file, writer.settings.tags, writer.settings.format == .wav)
    let cues = events.compactMap { $0.cue(at: take.input.rate) }
    do throws(SoundFileError) {
      try writer.close(cues: cues)
      return nil
    } catch {
      if isWave, let other = try? file.duplicate(),
        let repaired = try? CheckedFile(other, named: file.label),
        (try? repaired.recoverWave(cues: cues, tags: tags)) == nil
      {
        _ = try? repaired.repairWave()
      }
      return "\(error)"
    }
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
    case .automatic: (format != .wav && !events.isEmpty) || events.contains(where: \.isLoss)
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
