package import Analysis
package import Audio
package import Decoding
internal import Files
package import Linux

/// An export of one or several sources. It writes the files one after another. Each file gets its
/// name when the file is complete. The sources are decoded once for all files. Trimming,
/// normalizing and the search for an echo decode the sources again.
package struct Export {
  /// Opens a decoder of a file. `order` is the request to decode, and `first` is the first frame.
  package typealias Opening =
    (_ file: borrowing Descriptor, _ order: DecodeOrder, _ first: FrameCount)
    throws -> any FrameSupply
  /// Receives the completed fraction of the work, 0 to 1. Throws to stop the export.
  package typealias Progress = (Double) throws -> Void
  /// An open file, and the facts about its sound.
  package typealias TrackFile = (source: ExportSource, file: OpenFile)

  private var source: ExportSource
  private let open: Opening
  private let progress: Progress
  /// The files of each source: one file, or one file for each track.
  private var files: [[TrackFile]]
  /// The removal of an echo from the decoded frames, or nil for none.
  private var removal: EchoRemoval?

  /// The loudness and the true peak of the whole source from an earlier measurement, or nil if
  /// there is none.
  package var known: SoundLevels?
  /// Receives the levels of the whole source after an export has measured them.
  package var note: (SoundLevels) -> Void = { _ in }

  /// An export of a source from its file.
  package init(
    of source: ExportSource, in file: OpenFile, by open: @escaping Opening,
    progress: @escaping Progress
  ) {
    self.source = source
    files = [[(source, file)]]
    self.open = open
    self.progress = progress
  }

  /// An export of a take with a separate file for each track. The take has at least two tracks.
  package init(
    of files: [TrackFile], with tracks: [Track], by open: @escaping Opening,
    progress: @escaping Progress
  ) {
    let source = ExportSource(files.map(\.source), of: tracks)
    self.init(of: source, in: files[0].file, by: open, progress: progress)
    self.files = [files]
  }

  /// Appends the frames and marks of another source. The frames are converted to the rate and the
  /// channels of the first source.
  package mutating func append(_ next: ExportSource, in file: OpenFile) {
    append([(next, file)], as: next)
  }

  /// Appends a take with a separate file for each track. The take must have as many channels as the
  /// first source.
  package mutating func append(_ files: [TrackFile], with tracks: [Track]) {
    append(files, as: ExportSource(files.map(\.source), of: tracks))
  }

  private mutating func append(_ files: [TrackFile], as next: ExportSource) {
    source.append(next)
    self.files.append(files)
  }

  private var decoder: ExportReader.Decoder {
    let (sources, removal, sounds) = (source.all, removal, supplies)
    return { order, first in
      let lengths = sources.map { $0.frames.converted(from: $0.rate, to: order.format.rate) }
      return try FrameChain(lengths, from: first) { index, first in
        guard let removal else { return try sounds(index, order, first) }
        return try EchoFreeFrames(removal, from: first) { try sounds(index, order, $0) }
      }
    }
  }

  /// A function that opens the decoder of a source. Its first argument is the index of the source.
  private var supplies: (Int, DecodeOrder, FrameCount) throws -> any FrameSupply {
    let (sources, files, open) = (source.all, files, open)
    return { index, order, first in
      let (source, own) = (sources[index], files[index])
      let earlier = files[..<index].reduce(0) { $0 + $1.count }
      var order = order
      order.length = source.frames.converted(from: source.rate, to: order.format.rate)
      guard own.count > 1 else {
        order.raw = source.raw
        return try SourceFrames(of: earlier) { try open(own[0].file.descriptor, order, first) }
      }
      return try TrackFrames(own.map { $0.source.channels }) { number, channels in
        let (source, file) = own[number]
        let order = order.limited(to: channels, raw: source.raw)
        return try SourceFrames(of: earlier + number) { try open(file.descriptor, order, first) }
      }
    }
  }

  /// Writes the files of a plan. If the path of a file already exists, throws before any file is
  /// written.
  ///
  /// If the plan removes the echo of a track, this function first searches for the echo. If the
  /// search finds no echo, or an echo that cannot be measured, no echo is removed.
  package func run(
    _ plan: ExportPlan, to target: ExportTarget
  ) throws -> (layout: ExportLayout, files: [ExportedFile], echo: RemovedEcho?) {
    let layout = try ExportLayout(plan, source)
    guard let name = plan.echo, let tracks = try EchoTracks(plan, source) else {
      let (layout, files) = try write(plan, to: target, 0...1)
      return (layout, files, nil)
    }
    _ = try freePaths(layout, target)
    let latency = try EchoRemoval.latency(at: layout.stream.rate)
    let range = searched(layout)
    let finding = try tracks.search(in: range, by: decoder, progress: step(0...0.15))
    guard case .found(let path) = finding,
      try tracks.hasEchoAlone(path, in: range, by: decoder, progress: step(0.15...0.2))
    else {
      var plan = plan
      plan.echo = nil
      let (layout, files) = try write(plan, to: target, 0.2...1)
      return (layout, files, RemovedEcho(name, unchangedAfter: finding))
    }
    let removal = EchoRemoval(tracks, path, at: layout.stream.rate, latency: latency)
    var export = self
    export.removal = removal
    let (written, files) = try export.write(plan, to: target, 0.2...1)
    return (written, files, removal.removed(name))
  }

  /// Returns the range to search for an echo: the frames of a layout, and up to a minute before and
  /// after them. The range counts frames at the rate of the search.
  private func searched(_ layout: ExportLayout) -> Range<FrameCount> {
    let (rate, minute) = (EchoSearch.rate, FrameCount(.seconds(60), at: EchoSearch.rate))
    let length = source.length(at: rate)
    let first = layout.range.lowerBound.converted(from: layout.stream.rate, to: rate) - minute
    let last = layout.range.upperBound.converted(from: layout.stream.rate, to: rate) + minute
    return max(0, first)..<min(length, last)
  }

  private func write(
    _ plan: ExportPlan, to target: ExportTarget, _ part: ClosedRange<Double>
  ) throws -> (layout: ExportLayout, files: [ExportedFile]) {
    var layout = try ExportLayout(plan, source)
    var rest = part
    if plan.trims {
      let middle = part.lowerBound + 0.3 * (part.upperBound - part.lowerBound)
      let range = try layout.trimmed(by: decoder, progress: step(part.lowerBound...middle))
      layout = try ExportLayout(plan, source, part: range)
      rest = middle...part.upperBound
    }
    let paths = try freePaths(layout, target)
    if let loudness = plan.loudness, let piece = layout.pieces.first {
      return (layout, [try normalize(piece, at: paths[0], target, layout, to: loudness, rest)])
    }
    var samples = try ExportSamples(layout, nil, by: decoder)
    var files: [ExportedFile] = []
    var statuses: [FileStatus] = []
    do {
      for (piece, path) in zip(layout.pieces, paths) {
        let file = try Self.file(path, target)
        let (status, marks) = try write(piece, to: file, layout, &samples, step(rest))
        statuses.append(status)
        try Self.deliver(file, to: target)
        files.append(ExportedFile(piece, at: path, bytes: status.size, marks: marks))
      }
    } catch {
      // A second attempt would be refused if the files of some parts existed.
      for (file, status) in zip(files, statuses) { file.remove(if: status) }
      throw error
    }
    samples.end()
    return (layout, files)
  }

  /// Decodes the whole source and measures its levels and its loudness.
  ///
  /// - Returns: the levels, and the reason why the loudness is missing, or nil if it was measured.
  package func measured() throws -> (levels: SoundLevels, refusal: AnalysisError?) {
    let frames = source.frames
    let stream = StreamFormat(rate: source.rate, channels: source.channels, sample: .float32)
    let reader = try ExportReader(decoder, stream)
    // With blocks of this size, the decoding thread and the thread of `SoundMeasurement` rarely
    // wait for each other.
    reader.size = max(1, 32_768 / stream.channels.value)
    let measurement = try SoundMeasurement(
      stream, ofTracks: source.tracks.count > 1, bits: source.integerBits)
    while reader.position < frames {
      try reader.read(upTo: frames)
      try measurement.add(reader.floats)
      try progress(Double(reader.position.value) / Double(frames.value))
    }
    reader.end()
    return (measurement.finish(), measurement.refusal)
  }

  /// Returns the progress handler of one step of the export. The step covers the range `part` of
  /// the whole progress.
  private func step(_ part: ClosedRange<Double>) -> Progress {
    { share in
      try progress(part.lowerBound + share * (part.upperBound - part.lowerBound))
    }
  }

  /// Writes a file repeatedly until the file has the requested loudness. If the last attempt also
  /// fails, writes the file again with the gain and the ceiling of the best attempt.
  private func normalize(
    _ piece: ExportLayout.Piece, at path: String?, _ target: ExportTarget,
    _ layout: ExportLayout, to loudness: Double, _ part: ClosedRange<Double>
  ) throws -> ExportedFile {
    let known = layout.isWhole(of: source) ? self.known : nil
    let middle = known == nil ? (part.lowerBound + part.upperBound) / 2 : part.lowerBound
    let levels =
      if let known { known } else { try measured(layout, part.lowerBound...middle) }
    var next = try Normalizing(to: loudness, from: levels, isLossy: layout.format.isLossy)
    // A predictable loudness is not measured here. The written file is measured in any case.
    for _ in 1..<Normalizing.mostMeasurements where !next.isForeseen {
      let levels = try SoundLevels(
        of: layout, after: next.change, by: decoder, progress: step(middle...middle))
      if next.accepts(levels) { break }
    }
    next.forget()
    var attempts = 0
    while true {
      if attempts == Normalizing.mostAttempts { next.restoreBest() }
      let file = try Self.file(path, target)
      var samples = try ExportSamples(layout, next.change, by: decoder)
      let (status, marks) = try write(
        piece, to: file, layout, &samples, step(middle...part.upperBound))
      samples.end()
      attempts += 1
      let levels = try self.levels(of: file, layout.stream)
      if next.accepts(levels) || attempts > Normalizing.mostAttempts {
        try Self.deliver(file, to: target)
        var exported = ExportedFile(piece, at: path, bytes: status.size, marks: marks)
        exported.loudness = levels.loudness?.integrated
        return exported
      }
    }
  }

  /// Measures the frames of a layout without a change of level.
  private func measured(_ layout: ExportLayout, _ part: ClosedRange<Double>) throws -> SoundLevels {
    let levels = try SoundLevels(
      of: layout, after: LevelChange(), by: decoder, progress: step(part))
    if layout.isWhole(of: source) { note(levels) }
    return levels
  }

  /// Decodes a written file and measures its levels.
  private func levels(
    of file: borrowing UnfinishedFile, _ stream: StreamFormat
  ) throws -> SoundLevels {
    let descriptor = try file.descriptor()
    return try readingSource {
      let supply = try open(descriptor, DecodeOrder(name: "-", format: stream), 0)
      return try SoundLevels(of: supply, stream)
    }
  }

  /// Returns the path of each file, or nil for each file if the target is a stream. Throws if a
  /// path already exists.
  private func freePaths(_ layout: ExportLayout, _ target: ExportTarget) throws -> [String?] {
    guard case .file(let path) = target else { return layout.pieces.map { _ in nil } }
    let paths = layout.pieces.count == 1 ? [path] : ExportedFile.numbered(path, layout.pieces.count)
    for path in paths where (try? FileStatus(of: path, following: false)) != nil {
      throw SystemError("openat", path, errno: .exists)
    }
    return paths
  }

  /// Writes a file and returns its status and its number of marks.
  private func write(
    _ piece: ExportLayout.Piece, to file: borrowing UnfinishedFile, _ layout: ExportLayout,
    _ samples: inout ExportSamples, _ progress: Progress
  ) throws -> (status: FileStatus, marks: Int) {
    let settings = settings(of: piece, layout)
    let isCued = layout.format == .wav || layout.format == .aiff
    let marks = isCued ? piece.marks : settings.heldChapters
    var writer = try SoundFileWriter(file.descriptor(), named: file.label, settings)
    while samples.position < piece.range.upperBound {
      try samples.read(upTo: piece.range.upperBound)
      try writer.write(unsafe samples.bytes.span.bytes, of: layout.stream.sample)
      try progress(layout.share(before: samples.position))
    }
    try writer.close(cues: marks)
    return (try file.descriptor().status(), marks.ofUser)
  }

  private func settings(of piece: ExportLayout.Piece, _ layout: ExportLayout) -> SoundFileSettings {
    var tags = layout.format == .w64 ? [:] : source.tags
    tags[.title] = piece.label ?? tags[.title]
    var settings = SoundFileSettings(format: layout.format, stream: layout.stream, tags: tags)
    settings.hasTail = true
    settings.chapters = piece.marks
    return settings
  }

  private static func file(_ path: String?, _ target: ExportTarget) throws -> UnfinishedFile {
    if case .stream(_, let directory) = target {
      return try UnfinishedFile(unnamedIn: directory)
    }
    return try UnfinishedFile(for: path ?? "")
  }

  private static func deliver(_ file: consuming UnfinishedFile, to target: ExportTarget) throws {
    guard case .stream(let number, _) = target else { return try file.publish() }
    try file.copy(to: number)
  }
}
