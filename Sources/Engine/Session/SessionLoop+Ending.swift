internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Recording
internal import Store
internal import Takes

extension SessionLoop {
  /// Tells whoever started it that the first frame is there.
  func begin() throws(Failure) {
    guard recording.captured > 0 else {
      if let end = recording.end, desk.ending == nil { throw failedStart(end) }
      return
    }
    hasBegun = true
    var status = desk.status
    status.warnings = around.news + status.warnings
    let isWanted = around.channel?.began(status) ?? true
    for news in around.news { around.say(news) }
    // Whoever started it gave up before it began, and knows of no recording.
    if !isWanted { desk.end(.cancelled) }
  }

  private func failedStart(_ end: RecordingEnd) -> Failure {
    desk.settle(end)
    desk.take.place?.discard()
    cleanUp()
    let why = desk.ending?.message ?? "it delivered nothing"
    let isDisk = desk.ending?.reason == .disk
    return Failure(
      isDisk ? .outputRefused : .device,
      Message("cannot record from", on: desk.take.plan.capture.device, why: why))
  }

  /// Why there is no recording where it ended before its first frame.
  func neverBegun(_ result: RecordingResult) -> Failure {
    do throws(TakeError) {
      try guardian.check()
    } catch {
      return Failure(error)
    }
    return Failure(
      .nothingCaptured,
      Message(
        "the recording ended before its first frame: "
          + (result.message ?? result.reason.rawValue)))
  }

  /// Goes on with the ending; returns the result once all is done.
  func advance() throws(Failure) -> RecordingResult? {
    if let finish { return finish.done.clear() ? finish.result : nil }
    if let end = recording.end {
      desk.collect()
      desk.settle(end)
      around.reserve.release()
      do throws(SystemError) {
        finish = try desk.take.finish(desk.result)
      } catch {
        throw Failure(.failed, Message("cannot end the file: \(error)"))
      }
      return nil
    }
    guard let ending = desk.ending else { return nil }
    let passed = KernelClock.monotonic.now - ending.since
    if passed > Self.patience, recording.captureEnd == nil {
      recording.abandonCapture(.stalled(passed))
    }
    // A file is waited for; a pipe that nobody empties is not.
    return passed > Self.patience * 2 && desk.take.place == nil ? desk.undelivered : nil
  }

  /// Leaves the result, then tells everybody who waits, then goes.
  func conclude(_ result: RecordingResult) {
    around.screen?.clear()
    if hasBegun { keep(result) }
    cleanUp(result)
    if hasBegun { Hook(.stop, of: desk.take.plan)?.run(result) }
    for ticket in desk.waiting { server.answer(ticket, .done(result.json.object ?? [:])) }
    for (ticket, reply) in desk.takeReplies() { server.answer(ticket, reply) }
    let deadline = KernelClock.monotonic.now + .seconds(1)
    while server.hasUnsent, KernelClock.monotonic.now < deadline {
      poll.removeAll()
      server.enlist(in: &poll)
      guard (try? poll.wait(upTo: Self.pace)) != nil,
        (try? server.serve(poll) { _, _ in .later }) != nil
      else { break }
    }
  }

  /// Leaves the result for a `wait` that comes later; one in the foreground is told at its terminal.
  private func keep(_ result: RecordingResult) {
    do throws(DirectoryRefusal) {
      if around.screen == nil { try around.store.leave(result, of: desk.take.name) }
      if result.reason != .cancelled, !isListed(result) { try around.store.catalogue(result) }
    } catch {
      around.say(
        "what became of the recording cannot be kept: \(error); it ended with \(result.exit) "
          + "(\(result.reason.rawValue)), \(result.place)")
    }
  }

  /// True if its file is in the catalogue: the one behind it was empty and is gone.
  private func isListed(_ result: RecordingResult) -> Bool {
    guard result.total != nil, let path = result.path else { return false }
    return around.store.takes.contains {
      $0.identifier == result.identifier && $0.path == path
    }
  }

  private func cleanUp(_ result: RecordingResult? = nil) {
    // First the record: one that is there and has no socket is a session that cannot be reached.
    around.store.withdraw(desk.take.name)
    around.socket.remove()
    guardian.close(around.session, result)
  }
}
