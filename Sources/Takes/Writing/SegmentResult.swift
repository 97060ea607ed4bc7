internal import Audio
package import Control
internal import Linux
internal import Recording
internal import Store

extension RecordingResult {
  /// Narrows the result to the last file of a take. Adds the totals of the take if the take has
  /// several files.
  mutating func narrow(to segment: TakeSegment, of plan: RecordingPlan) {
    if segment.number > 1 {
      total = TakeTotal(files: segment.number, frames: facts.frames, marks: facts.marks)
      began = segment.began.sinceEpoch
    }
    describe(segment, of: plan)
  }

  /// Takes the facts from the previous file, because the last file has no frames and is not kept.
  mutating func fallBack(to former: RecordingResult) {
    guard !reason.isCancelled, former.path != nil, let total else { return }
    let marks = total.marks - facts.marks
    (facts, sidecar, clipped) = (former.facts, former.sidecar, former.clipped)
    (began, series, markTexts) = (former.began, former.series, former.markTexts)
    self.total = TakeTotal(files: total.files - 1, frames: total.frames, marks: marks)
    if exit == Outcome.nothingCaptured.rawValue { exit = Outcome.incomplete.rawValue }
  }

  mutating func describe(_ segment: TakeSegment, of plan: RecordingPlan) {
    facts.frames = segment.frames
    facts.gaps = segment.gaps.suffix(TakeFacts.mostGaps)
    facts.tracks.set(segment.trackGaps, most: TakeFacts.mostGaps)
    facts.tracks.set(peaks: segment.highest.channelPeaks)
    facts.highestPeak = segment.highest.peak
    facts.marks = segment.marks
    if plan.output.split != nil || segment.number > 1 { facts.segment = segment.number }
    clipped = segment.highest.clipped
    delivery = plan.output.delivery
    if plan.output.isSeries { series = plan.output.series }
    add(wordsOf: plan.output, segment.events)
  }

  /// Adds the title and the note from a plan, and the texts of the marks in `events`.
  mutating func add(wordsOf plan: OutputPlan, _ events: [PositionedEvent]) {
    (title, note) = (plan.title, plan.note)
    markTexts = events.compactMap { positioned in
      if case .mark(let text) = positioned.event, !text.isEmpty { text } else { nil }
    }
  }
}

extension RecordingResult {
  /// Sets the paths of files that keep their hidden names.
  mutating func setParts(_ partFile: PartFile) {
    facts.path = partFile.partPath
    guard !partFile.others.isEmpty else { return }
    facts.tracks[0].file = facts.path
    for (index, other) in partFile.others.enumerated() {
      facts.tracks[index + 1].file = partFile.directory.presentPath(of: other.part)
    }
  }

  /// Returns true if the file still has its hidden name.
  package var isHidden: Bool { facts.path.map { PartName($0.pathParts.name) != nil } ?? false }
}
