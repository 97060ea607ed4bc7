internal import Audio
internal import CommandLine
internal import Control
internal import JSON
internal import Linux
internal import Recording

extension SessionLoop {
  /// Tells whoever started it that the first frame is there.
  func begin() throws(Failure) {
    guard recording.captured > 0 else {
      if let end = recording.end, desk.ending == nil { throw failedStart(end) }
      return
    }
    hasBegun = true
    let isWanted = around.channel?.began(desk.status) ?? true
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

  /// Goes on with the ending; returns the result once all is done.
  func advance() throws(Failure) -> RecordingResult? {
    if let finish { return finish.done.clear() ? finish.result : nil }
    if let end = recording.end {
      desk.collect()
      desk.settle(end)
      do throws(SystemError) {
        finish = try TakeFinish(desk.take, desk.events, desk.result)
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
    return passed > Self.patience * 2 && desk.take.place == nil ? desk.result : nil
  }

  /// Leaves the result, then tells everybody who waits, then goes.
  func conclude(_ result: RecordingResult) {
    around.screen?.clear()
    if around.screen == nil { try? around.shelf.leave(result, of: desk.take.name) }
    if result.path != nil { try? around.shelf.catalogue(result) }
    cleanUp()
    for ticket in desk.waiting { server.answer(ticket, .done(result.json.object ?? [:])) }
    let deadline = KernelClock.monotonic.now + .seconds(1)
    while server.hasUnsent, KernelClock.monotonic.now < deadline {
      poll.removeAll()
      server.enlist(in: &poll)
      guard (try? poll.wait(upTo: Self.pace)) != nil,
        (try? server.serve(poll) { _, _ in .later }) != nil
      else { break }
    }
  }

  private func cleanUp() {
    around.socket.remove()
    around.shelf.withdraw(desk.take.name)
    guardian.end(around.session)
  }
}
