package import Audio
package import Linux
internal import RealTime
internal import Synchronization

/// Everything about a recording that is no device and no file.
package struct RecordingSettings: Sendable {
  package var changes = FrameChanges()
  package var limits = TakeLimits()
  package var voice = VoiceSettings()
  /// How much sound fits between the device and a disk that stands still.
  package var memory: Duration = .seconds(12)
  /// How long a device that went is waited for; nil ends the take.
  package var patience: Duration?
  /// Noise for lost bits starts here.
  package var seed: UInt64 = 1
  /// The capture thread's time.
  package var clock: any CaptureClock = KernelCaptureClock()

  package init() {}
}

/// How a recording ended: both of its threads' last words.
package struct RecordingEnd: Hashable, Sendable {
  package var capture: CaptureEnd?
  package var write: WriteEnd

  package init(capture: CaptureEnd?, write: WriteEnd) {
    self.capture = capture
    self.write = write
  }
}

/// A recording that runs on two threads of its own, capture and writer.
///
/// Orders come from one other thread, or several; each lies at an exact frame.
package final class Recording: Sendable {
  /// Readable once the last frame is written and the finisher has run.
  package let ended: Event
  private let link: CaptureLink
  private let edits = EditQueue()
  private let board = ProgressBoard()
  private let ending = Mutex<RecordingEnd?>(nil)
  private let preRoll: Int

  /// Starts to record.
  ///
  /// - Parameters:
  ///   - reopen: opens the device anew after it went; called on the capture thread.
  ///   - finish: completes the file after its last frame; called on the writing thread.
  package init<
    Source: FrameSource & ~Copyable, File: TakeFile & ~Copyable,
    Converter: RateConverter & ~Copyable
  >(
    from source: consuming Source, to file: consuming File, converter: consuming Converter?,
    _ settings: RecordingSettings, reopen: @escaping @Sendable () -> Source?,
    finish: @escaping @Sendable (consuming File, RecordingEnd) -> Void
  ) throws(SystemError) {
    ended = try Event()
    link = try CaptureLink()
    let input = source.format
    preRoll = Int(FrameCount(settings.voice.preRoll, at: input.rate).value)
    var ring = SampleRing(
      capacity: FrameCount(settings.memory + settings.voice.preRoll, at: input.rate),
      bytesPerFrame: input.bytesPerFrame)
    var gaps = SampleRing(capacity: 256, bytesPerFrame: GapRecord.bytes)
    let path = FramePath(
      from: input, to: file.stream, settings.changes, converter: converter, seed: settings.seed)
    let writer = Handoff(
      TakeWriter(
        file, path: path, input: input, frames: ring.reader(), gaps: gaps.reader(), link: link,
        edits: edits, board: board, limits: settings.limits, voice: settings.voice))
    let capture = Handoff(
      CaptureLoop(
        source, frames: ring.writer(), gaps: gaps.writer(), link: link,
        patience: settings.patience, clock: settings.clock, reopen: reopen))
    // The capture first: without a writer it can be stopped, and the file is as it was.
    _ = try Thread("capture", priority: .realTime(20)) {
      if let capture = capture.take() { capture.run() }
    }
    do {
      _ = try Thread("writer") { [self] in
        if let writer = writer.take() {
          writer.run { file, end in self.complete(file, end, finish) }
        }
      }
    } catch {
      link.stop()
      throw error
    }
  }

  private func complete<File: TakeFile & ~Copyable>(
    _ file: consuming File, _ end: WriteEnd, _ finish: (consuming File, RecordingEnd) -> Void
  ) {
    link.stop()
    let end = RecordingEnd(capture: link.lastWord?.end, write: end)
    finish(file, end)
    ending.withLock { $0 = end }
    ended.signal()
  }
}

extension Recording {
  /// How it ended, or nil while it goes on.
  package var end: RecordingEnd? { ending.withLock { $0 } }

  /// How the capture ended, or nil while it goes on.
  package var captureEnd: CaptureEnd? { link.lastWord?.end }

  /// Frames that the device has delivered; the writer may not have come to all of them.
  package var captured: FrameCount { FrameCount(link.captured.load(ordering: .relaxed)) }

  /// Frames lost, those that the writer has not come to included.
  package var lost: FrameCount { FrameCount(link.lost.load(ordering: .relaxed)) }

  /// How far the writer is.
  package var progress: TakeProgress { board.look() }

  /// What happened to the take since the last time, in order.
  package func takeEvents() -> [PlacedEvent] { board.takeEvents() }

  /// Leaves out what comes from now on.
  package func pause() { order(.pause) }

  /// Keeps what comes from now on.
  package func resume() { order(.resume) }

  /// Marks the frame that is captured now.
  package func mark(_ text: String) { order(.mark(text)) }

  /// Begins a take that waits, with what was heard last.
  package func trigger() {
    let captured = link.captured.load(ordering: .relaxed)
    edits.add(.begin, at: max(0, captured - preRoll))
    link.arrival.signal()
  }

  /// Keeps what was captured until now, and nothing later.
  package func cut() {
    order(.end)
    link.stop()
  }

  /// Lets the device deliver what it holds, keeps that, and ends.
  package func stop() { link.stop() }

  /// Ends without the capture thread, which does not answer; what is in memory is still written.
  package func abandonCapture(_ reason: CaptureEnd) { link.finish(reason) }

  private func order(_ action: Edit.Action) {
    edits.add(action, at: link.captured.load(ordering: .relaxed))
    link.arrival.signal()
  }
}
