internal import Audio
internal import Control
internal import Files
internal import JSON
internal import Linux
internal import Recording
internal import Store

/// One segment of a take while it is written: its writers, its part and its synchronization to the
/// disk. It has one file, or one for each track.
struct SegmentFile: TakeFile, ~Copyable {
  typealias Failure = SoundFileError

  /// The format of the frames of all tracks together.
  let stream: StreamFormat
  let writers: [TrackWriter]
  let partFile: PartFile
  let sync: DiskSync
  /// The machine and its clock at the beginning of the file.
  let origin: TakeOrigin

  // If the start of a take fails, its file is never finished. So end the thread of `sync` here,
  // because the thread would keep the file open.
  deinit { sync.end() }

  var bytesWritten: Int64 { writers.reduce(0) { $0 + $1.file.end } }

  mutating func write(_ frames: RawSpan) throws(SoundFileError) {
    for writer in writers { try writer.write(frames) }
  }

  mutating func refresh() throws(SoundFileError) {
    for writer in writers { try writer.updateHeader() }
    sync.follow()
  }

  func note(_ event: PositionedEvent) { partFile.note(event.json.encoded()) }
}

/// Finishes one segment of a take: its headers, its names and its sidecar, then the hooks and
/// retention.
struct SegmentFinish {
  let plan: RecordingPlan
  let store: MachineStore
  let host: any TakeHost
  let formats: TakeFormats
  /// The segment. It is corrected if its files could not be written completely.
  var segment: TakeSegment

  /// The marks for the events in the file.
  private var cues: [SoundFileCue] {
    segment.events.compactMap { $0.cue(at: formats.device.rate, host) }
  }

  /// Finishes the file and completes `result`. Returns the deletions by retention.
  mutating func run(
    _ file: Handoff<SegmentFile>, _ result: inout RecordingResult
  ) -> SeriesPruning.Deletions {
    guard let file = file.take() else { return SeriesPruning.Deletions() }
    let (partFile, writers, origin) = (file.partFile, file.writers, file.origin)
    file.sync.end()
    guard result.reason != .cancelled, result.frames.onDisk > 0 else {
      discard(partFile, &result)
      return SeriesPruning.Deletions()
    }
    if !close(writers, &result) { for writer in writers { writer.digest?.doubt() } }
    guard result.frames.onDisk > 0 else {
      result.exit = Outcome.nothingCaptured.rawValue
      try? partFile.discard()
      return SeriesPruning.Deletions()
    }
    // A file that goes to the trash is not delivered, and retention does not count it.
    if result.reason == .discarded { (result.delivery, result.series) = (nil, nil) }
    let isPublished = publish(partFile, writers.map(\.file), origin, &result)
    // Older files are deleted only if this file has its final name. A recovery completes a file
    // that keeps its hidden name.
    if !isPublished || result.reason == .discarded { return SeriesPruning.Deletions() }
    for (writer, path) in zip(writers, result.files) {
      SavedFile(result, at: path, writer.file, writer.digest, partFile.directory).map {
        try? store.savedFiles.remember($0)
      }
    }
    let pruning = prune(latest: result)
    host.completed(result, of: plan)
    return pruning
  }

  private func prune(latest: RecordingResult) -> SeriesPruning.Deletions {
    do throws(DirectoryRefusal) {
      return try SeriesPruning(plan.output, store)?.run(latest: latest) ?? SeriesPruning.Deletions()
    } catch {
      host.report(error)
      return SeriesPruning.Deletions()
    }
  }

  /// Closes the files. If that fails, repairs them and returns false.
  private mutating func close(
    _ writers: [TrackWriter], _ result: inout RecordingResult
  ) -> Bool {
    let cues = cues
    var fault: SoundFileError?
    for writer in writers {
      do throws(SoundFileError) {
        try writer.close(cues: cues)
      } catch {
        fault = fault ?? error
      }
    }
    guard let fault else { return true }
    result.add(host.words(for: .file(fault)), .incomplete)
    repair(writers, &result)
    return false
  }

  /// Cuts the files after the last whole frame that all of them have, corrects the counts and the
  /// events, and writes the marks if there is space.
  private mutating func repair(_ writers: [TrackWriter], _ result: inout RecordingResult) {
    let plans = EqualPlans.make { most in
      // A second attempt, because the disk may have failed only once.
      writers.map { plan(for: $0, upTo: most) ?? plan(for: $0, upTo: most) }
    }
    let held = zip(writers, plans).map { writer, plan in
      let recovery = plan.flatMap { plan in
        writer.file.unlatched().flatMap { try? plan.carryOut(on: $0) }
      }
      return recovery?.frames ?? decodable(writer.file, writer.settings)
    }
    recount(held.min() ?? 0, &result)
    for (writer, plan) in zip(writers, plans) {
      guard let plan, plan.format == .wav else { continue }
      _ = writer.file.mark(cues, writer.settings.tags, after: plan)
    }
  }

  private func plan(for writer: TrackWriter, upTo most: FrameCount) -> RepairPlan? {
    let settings = writer.settings
    return writer.file.unlatched().flatMap { file in
      try? SoundFileRepair.plan(
        for: file, as: settings.format, stream: settings.stream, upTo: most)
    }
  }

  /// Returns the number of frames that a program finds when it reads the file. This number is used
  /// if the repair of the file has failed.
  private func decodable(_ file: CheckedFile, _ settings: SoundFileSettings) -> FrameCount {
    let raw = settings.format == .raw ? settings.stream : nil
    guard let other = try? file.duplicate(),
      var reader = try? SurveyedFile(other, named: file.label, raw: raw).reader(of: 0)
    else { return 0 }
    return reader.countFrames()
  }

  private mutating func recount(_ held: FrameCount, _ result: inout RecordingResult) {
    let former = segment.frames
    segment.recount(holding: held, at: formats.file.rate, of: formats.device.rate)
    result.frames = segment.frames
    result.gaps = segment.gaps.suffix(TakeFacts.mostGaps)
    result.tracks.set(segment.trackGaps, most: TakeFacts.mostGaps)
    result.total?.exchange(former, for: segment.frames)
  }

  /// Announces the files before they get their final names, because a session that dies after the
  /// renaming leaves no part.
  private func announce(
    _ partFile: PartFile, _ origin: TakeOrigin, _ result: RecordingResult
  ) throws(DirectoryRefusal) {
    let status = partFile.status
    var meant = result
    if partFile.others.isEmpty { meant.bytes = status.size }
    let sidecar = Sidecar(meant, plan.output, segment.events, from: origin).needed
    let isRequired = result.delivery != nil || !partFile.others.isEmpty
    do throws(DirectoryRefusal) {
      try store.announcements.add(
        TakeAnnouncement(
          meant, in: partFile.partPath, status, sidecar: sidecar, partFile.others), status)
    } catch {
      // Without the announcement, a take is not listed if its session dies before it adds the take
      // to the catalogue. That is acceptable for a single file without a delivery. Other files
      // would never be delivered, or never get their final names.
      if isRequired { throw error }
    }
  }

  /// Moves existing files that have the final names, or the name of a needed sidecar, to the trash.
  /// Returns true if the existing files must be replaced instead. While another command changes
  /// takes, moves no file and returns false.
  private func mustReplace(
    _ partFile: PartFile, _ hasSidecar: Bool, _ result: inout RecordingResult
  ) -> Bool {
    guard isReplacing(result) else { return false }
    let names = partFile.names(replacing: true).compactMap { name in
      (hasSidecar ? [name, name + ".json"] : [name]).first {
        (try? partFile.directory.status(of: $0)) != nil
      }
    }
    guard !names.isEmpty, host.trashesReplaced else { return !names.isEmpty }
    let paths = names.map { partFile.directory.presentPath(of: $0) }
    do {
      result.replacedFiles = try TakeChanges(store).makeWay(at: paths)
      return false
    } catch {
      if error as? TakeChangeError == .busy { return false }
      for path in paths {
        store.catalogue.note(.replace, of: path)
        result.add(host.words(for: .untrashed(path, error)), .done)
      }
      return true
    }
  }

  /// Whether existing files are replaced. The file of a cancelled take goes to the trash itself, so
  /// it replaces no other file.
  private func isReplacing(_ result: RecordingResult) -> Bool {
    plan.output.replaces && result.reason != .discarded
  }

  /// If each track has its own file, sets the final paths and the sizes of these files.
  private func setFiles(
    _ names: [String], of partFile: PartFile, _ files: [CheckedFile],
    _ result: inout RecordingResult
  ) {
    guard !partFile.others.isEmpty else { return }
    for (index, name) in names.enumerated() {
      result.tracks[index].file = partFile.directory.presentPath(of: name)
      result.tracks[index].bytes = size(of: files[index])
    }
    result.bytes = result.tracks.reduce(0) { $0 + ($1.bytes ?? 0) }
  }

  private func size(of file: CheckedFile) -> Int64? {
    (try? file.duplicate().status())?.size
  }

  /// Gives the files their final names. Returns false if they are lost or keep their hidden names.
  private mutating func publish(
    _ partFile: PartFile, _ files: [CheckedFile], _ origin: TakeOrigin,
    _ result: inout RecordingResult
  ) -> Bool {
    let lostPath = partFile.lostPath
    let hasSidecar = plan.output.needsSidecar(segment.events, of: result.tracks)
    let names = partFile.names(replacing: isReplacing(result), withSidecar: hasSidecar)
    setFiles(names, of: partFile, files, &result)
    do throws(DirectoryRefusal) {
      var meant = result
      meant.path = partFile.directory.presentPath(of: names[0])
      try announce(partFile, origin, meant)
    } catch {
      result.add(host.words(for: .unqueued(error)), .incomplete)
      hide(partFile, &result)
      return false
    }
    // If a single file has lost its hidden name, `partFile.publish` copies it completely or throws.
    let isCopied = lostPath != nil && partFile.others.isEmpty
    if let lostPath {
      result.add(host.words(for: .removed(lostPath)), isCopied ? .done : .incomplete)
    }
    do throws(SystemError) {
      let isReplacing = mustReplace(partFile, hasSidecar, &result)
      let published = try partFile.publish(
        files, as: names[0], replacing: isReplacing, &result.tracks)
      if isCopied { result.add(host.words(for: .copied), .done) }
      describe(published, partFile, hasSidecar, &result)
      let sidecar = Sidecar(result, plan.output, segment.events, from: origin)
      try sidecar.write(
        beside: published.name, in: partFile.directory, replacing: isReplacing, &result)
      partFile.forgetEvents()
      return true
    } catch {
      if !partFile.isFirstNamed, result.path == nil {
        // The file has no name left, so its sound is lost.
        recount(0, &result)
        result.add(host.words(for: .unsaved(error)), .incomplete)
        return false
      }
      result.add(host.words(for: .system(error)), .incomplete)
      guard result.path == nil else { return true }
      hide(partFile, &result)
      if let series = result.delivery?.series { try? store.spool(of: series).withdraw(result) }
      return false
    }
  }
}

extension SegmentFinish {
  /// Deletes the files. If that is not possible, the result says so, and a recovery saves them.
  private func discard(_ partFile: PartFile, _ result: inout RecordingResult) {
    do throws(SystemError) {
      try partFile.discard()
    } catch {
      guard result.frames.onDisk > 0 else { return }
      (result.reason, result.exit) = (.discarded, Outcome.incomplete.rawValue)
      result.add(host.words(for: .system(error)), .incomplete)
      hide(partFile, &result)
    }
  }

  /// Adds to the result that the files keep their hidden names.
  private func hide(_ partFile: PartFile, _ result: inout RecordingResult) {
    result.setParts(partFile)
    result.add(host.words(for: .hidden), .incomplete)
  }

  /// Adds to the result: the final path of the file, its size, and the faults of its name.
  private func describe(
    _ published: PartFile.Published, _ partFile: PartFile, _ hasSidecar: Bool,
    _ result: inout RecordingResult
  ) {
    let (name, directory) = (published.name, partFile.directory.path)
    result.path = partFile.directory.presentPath(of: name)
    if !name.isSameName(as: partFile.name), !plan.output.isSeries, result.reason != .discarded {
      let used = partFile.usedPath(withSidecar: hasSidecar) ?? partFile.path
      result.add(host.words(for: .nameTaken(used)), .outputRefused)
    }
    if let doubt = published.doubt {
      result.add(host.words(for: .nameUncertain(doubt)), .incomplete)
    }
    if partFile.directory.hasForeignPath {
      result.add(host.words(for: .pathUnknown(directory)), .incomplete)
    }
    if partFile.others.isEmpty {
      result.bytes = (try? partFile.directory.status(of: name))?.size ?? result.bytes
    }
  }
}
