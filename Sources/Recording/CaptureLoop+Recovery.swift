internal import Audio
internal import Linux

extension CaptureLoop where Source: ~Copyable {
  /// Makes the stream run again after an overrun or a sleep; returns the end of the capture if it
  /// cannot.
  mutating func recover(from failure: Source.Failure) -> CaptureEnd? {
    guard let cause = failure.condition.gap else { return failure.end }
    let isRepeated = troubled != nil
    let since = troubled ?? clock.monotonic
    troubled = since
    if isRepeated { clock.wait(upTo: .milliseconds(20), for: link.wake) }
    do {
      while try !source.recover() {
        if clock.monotonic - since > .seconds(5) { return .failed("\(failure)") }
        if isStopping { return nil }
        clock.wait(upTo: .milliseconds(20), for: link.wake)
      }
      // Frames that the device still holds are from before the gap; the books count its length
      // below.
      try readAll()
    } catch  where error.condition.gap == nil {
      return error.end
    } catch {
      // Lost again already: the next step tries again.
    }
    // A sound server that died lets each recovery succeed, and no frame ever comes.
    if troubled != nil && isRepeated && clock.monotonic - since > .seconds(1) {
      return .disconnected("\(failure)")
    }
    books.loseMissing(cause)
    books.restart()
    return nil
  }

  /// Waits for a device that went, if `patience` asks for it; false where the capture is over.
  mutating func reconnect(after end: CaptureEnd) -> Bool {
    // A device that never delivered anything is an error at once, for whoever waits for the start.
    guard let patience, books.captured > 0 else { return false }
    // Held open, a card could not leave, and would come back under another name.
    source.close()
    let since = troubled ?? clock.monotonic
    troubled = since
    books.loseMissing(end.gap)
    while clock.monotonic - since < patience {
      clock.wait(upTo: .milliseconds(250), for: link.wake)
      books.loseMissing(end.gap)
      if isStopping { return true }
      if var next = reopen(), next.format == source.format, (try? next.start()) != nil {
        source = next
        books.loseMissing(end.gap)
        // A server that hangs lets itself be opened, and sends nothing before it is awake.
        awaited = lateness(after: end)
        quiet = .zero
        return true
      }
    }
    return false
  }

  private mutating func lateness(after end: CaptureEnd) -> Gap.Cause? {
    guard source.countsLostFrames else { return end.gap }
    books.restart()
    return nil
  }

  /// The cause of the loss before the next frames, for a device that cannot count what it lost
  /// meanwhile.
  var lateness: Gap.Cause? {
    if source.countsLostFrames { return nil }
    return awaited ?? (quiet >= .seconds(1) ? .stalled : nil)
  }

  /// Counts the loss of a server that was silent, before its next frames are read.
  mutating func settle(_ cause: Gap.Cause) throws(Source.Failure) {
    // Late frames arrive at once, and those are not lost.
    clock.wait(upTo: .milliseconds(200), for: link.wake)
    var timing = try caughtUp()
    // A buffer that ran full has kept its oldest frames: the gap lies behind them.
    if timing.available + source.period > source.capacity {
      // Once they are read, the writer has every earlier loss.
      books.regain(books.heard(ahead(timing), at: timing.instant))
      try readAll()
      timing = try source.timing()
    }
    books.resume(books.heard(ahead(timing), at: timing.instant), cause)
    awaited = nil
  }

  /// Waits until a server's stream has caught up, which may take seconds, and returns its timing.
  private mutating func caughtUp() throws(Source.Failure) -> StreamTiming {
    var timing = try source.timing()
    for _ in 0..<50 where !isStopping && timing.onTheWay > source.period {
      clock.wait(upTo: .milliseconds(100), for: link.wake)
      let before = timing.onTheWay
      timing = try source.timing()
      // No server reports more than its buffer on the way; one whose count does not fall always has
      // that much.
      let isBehind = timing.onTheWay >= source.capacity || timing.onTheWay + source.period < before
      if !isBehind { break }
    }
    return timing
  }

  /// Reads the frames that came until now and counts those that did not come.
  mutating func finish(_ end: CaptureEnd) -> CaptureEnd {
    if end == .stopped {
      do {
        if try !drain(), let lateness { books.loseMissing(lateness) }
      } catch {
        books.loseMissing(error.condition.gap ?? .disconnected)
      }
    } else {
      books.loseMissing(end.gap)
    }
    return end
  }
}

extension StreamCondition {
  /// The cause of the loss, where the stream can be resumed.
  fileprivate var gap: Gap.Cause? {
    switch self {
    case .xrun: .overrun
    case .suspended: .suspended
    case .disconnected, .failed: nil
    }
  }
}

extension StreamFailure {
  fileprivate var end: CaptureEnd {
    condition == .disconnected ? .disconnected("\(self)") : .failed("\(self)")
  }
}

extension CaptureEnd {
  fileprivate var gap: Gap.Cause {
    if case .stalled = self { .stalled } else { .disconnected }
  }
}
