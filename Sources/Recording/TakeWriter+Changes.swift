internal import Audio
internal import Linux
internal import RealTime

extension TakeWriter where File: ~Copyable, Converter: ~Copyable {
  /// Puts silence in for what was lost, unless nothing follows it or the take is paused.
  mutating func apply(_ gap: GapRecord, isFollowed: Bool) throws(TakeFailure) {
    let length = FrameCount(gap.length)
    let found = Gap(position: counts.onDisk, length: length, cause: Gap.Cause.numbered[gap.cause])
    gapsFound.append(found)
    tell(.gap(found))
    counts.lost += length
    guard isFollowed, pausedAt == nil else { return }
    let silence = silence
    var left = gap.length
    while left > 0 {
      let count = min(left, FramePath<Converter>.blockSize)
      let bytes = unsafe silence.span.bytes.extracting(..<(count * input.bytesPerFrame))
      try Self.write(bytes, along: &path, to: &file, &meter)
      counts.filled += FrameCount(count)
      left -= count
    }
  }

  /// Obeys an order; true where it ends the take.
  mutating func apply(_ action: Edit.Action) -> Bool {
    switch action {
    case .pause:
      if pausedAt == nil {
        pausedAt = counts.elapsed
        tell(.paused)
      }
    case .resume:
      if let began = pausedAt {
        pausedAt = nil
        tell(.resumed(after: counts.elapsed - began))
      }
    case .mark(let text):
      tell(.mark(text))
    case .end:
      return true
    }
    return false
  }

  /// Writes what the rate converter still holds, and makes the file readable to its end.
  mutating func close() throws(TakeFailure) {
    while true {
      let isEmpty = try Self.drain(&path, to: &file, &meter)
      if isEmpty { break }
    }
    try refresh()
  }

  mutating func refreshWhenDue() throws(TakeFailure) {
    if KernelClock.monotonic.now - refreshed >= Self.refreshInterval { try refresh() }
  }

  /// Says how far the take is.
  mutating func publish() {
    let level = meter.take()
    board.update { [counts, gapsFound] progress in
      progress.frames = counts
      progress.gaps = gapsFound
      progress.bytes = file.bytesWritten
      progress.isPaused = pausedAt != nil
      progress.level = level
      progress.highestPeak = max(progress.highestPeak, level.peak)
      progress.clipped += level.clipped
      if progress.highestPeak == 0 { progress.leadingSilence = counts.onDisk }
    }
  }

  private mutating func refresh() throws(TakeFailure) {
    refreshed = KernelClock.monotonic.now
    do {
      try file.refresh()
    } catch {
      throw TakeFailure(error)
    }
    publish()
  }

  // The events lie in the file, whose rate may be another than the device's.
  private func tell(_ event: TakeEvent) {
    let frame = counts.onDisk.converted(from: input.rate, to: file.stream.rate)
    board.update { progress in
      if case .mark = event { progress.marks += 1 }
      progress.events.append(PlacedEvent(at: frame, event))
    }
  }

  /// Writes what lies at the front of the ring, up to `count` frames, and returns how many bytes that was.
  static func write(
    _ count: Int, of frames: inout SampleRing.Reader, along path: inout FramePath<Converter>,
    to file: inout File, _ meter: inout LevelMeter
  ) throws(TakeFailure) -> Int {
    let bytes = frames.frames(upTo: count)
    try write(bytes, along: &path, to: &file, &meter)
    return bytes.byteCount
  }

  static func write(
    _ bytes: RawSpan, along path: inout FramePath<Converter>, to file: inout File,
    _ meter: inout LevelMeter
  ) throws(TakeFailure) {
    do {
      let changed = try path.change(bytes)
      try file.write(changed)
      meter.measure(changed)
    } catch let error as File.Failure {
      throw TakeFailure(error)
    } catch let error as Converter.Failure {
      throw TakeFailure(error)
    } catch {
      preconditionFailure("no other error is thrown")
    }
  }

  private static func drain(
    _ path: inout FramePath<Converter>, to file: inout File, _ meter: inout LevelMeter
  ) throws(TakeFailure) -> Bool {
    do {
      let rest = try path.drain()
      if rest.byteCount == 0 { return true }
      try file.write(rest)
      meter.measure(rest)
      return false
    } catch let error as File.Failure {
      throw TakeFailure(error)
    } catch let error as Converter.Failure {
      throw TakeFailure(error)
    } catch {
      preconditionFailure("no other error is thrown")
    }
  }
}
