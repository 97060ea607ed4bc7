internal import Audio
internal import Linux
internal import RealTime

extension TakeWriter where File: ~Copyable, Converter: ~Copyable {
  /// Continues in a new file from this frame on, unless this one has none yet.
  ///
  /// A cut within the reach of the rate converter's filter, some milliseconds after another, is the same cut.
  mutating func cutHere() {
    guard books.segment.frames.onDisk > 0, !output.isCutting else {
      schedule.pass(books, link.timeline)
      return
    }
    let began = link.timeline.wallTime(of: books.heard)
    guard let next = files.next(books.segment.number + 1, began) else {
      schedule.refuse(books, link.timeline)
      return
    }
    measure()
    let done = books.beginSegment(began)
    schedule.pass(books, link.timeline)
    let boundary = books.earlier.onDisk.converted(from: input.rate, to: output.file.stream.rate)
    output.cut(at: Int(boundary.value), to: next, closing: done)
    for event in books.segment.events { output.file.note(event) }
    publish()
  }

  /// Hands a file over that has all of its frames.
  mutating func completeFormer(isOver: Bool = false) {
    guard let former = output.takeFormer(isOver: isOver), let file = former.file.take() else {
      return
    }
    files.complete(file, former.segment, nil)
  }

  /// Counts the frames that were delivered and still come as lost, after a failure of the file.
  mutating func countUnwritten() {
    link.stop()
    let deadline = KernelClock.monotonic.now + .seconds(2)
    books.dropSilence()
    while true {
      // Looked at before the ring, which has all of it then.
      let last = link.lastWord
      while let gap = nextGap ?? gaps.takeRecord() {
        nextGap = nil
        tell(books.lose(gap, filled: false))
      }
      discardWaiting()
      if let last {
        if let gap = last.gap { tell(books.lose(gap, filled: false)) }
        return
      }
      if KernelClock.monotonic.now > deadline { link.finish(.stalled(.seconds(2))) }
      _ = try? link.arrival.descriptor.wait(upTo: Self.longestWait)
      link.arrival.clear()
    }
  }

  private mutating func discardWaiting() {
    while true {
      let count = frames.frames().byteCount / input.bytesPerFrame
      if count == 0 { return }
      frames.release(count)
      books.loseUnwritten(count)
    }
  }

  func tell(_ event: PlacedEvent?) {
    guard let event else { return }
    output.file.note(event)
    let marks = books.earlierMarks + books.segment.marks
    board.update { progress in
      progress.marks = marks
      progress.events.append(event)
    }
  }

  /// Adds the level since the last call to the books.
  @discardableResult
  private mutating func measure() -> Level? {
    guard let level = output.takeLevel() else { return nil }
    books.measure(level)
    board.update { $0.measure(level) }
    return level
  }

  /// Publishes the progress of the take.
  mutating func publish() {
    if measure() == nil, books.isPaused { board.update { $0.level = .silence } }
    let (counts, gaps, bytes) = (books.total, books.gaps, output.file.bytesWritten)
    let (isPaused, heard) = (books.isPaused, gate.takeLevel())
    let segment = books.segment.number
    board.update { progress in
      progress.frames = counts
      progress.gaps = gaps
      progress.bytes = bytes
      progress.segment = segment
      progress.isPaused = isPaused
      progress.isArmed = heard != nil
      if let heard { progress.level = heard }
      if progress.highestPeak == 0 { progress.leadingSilence = counts.onDisk }
    }
  }
}
