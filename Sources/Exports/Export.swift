package import Analysis
package import Audio
package import Decoding
internal import Files
package import Linux

/// The place for an export.
package enum ExportTarget: Sendable {
  /// A file; more than one get a number each.
  case file(String)
  /// A pipe or another open file, by its number; a temporary file is made in a directory first.
  case stream(Int32, temporaryIn: String)
}

/// A file that was exported.
package struct ExportedFile: Hashable, Sendable {
  /// Its path; nil for a stream.
  package var path: String?
  /// Its length.
  package var frames: FrameCount
  /// Its size.
  package var bytes: Int64
  /// The marks in it.
  package var marks: Int
  /// Its loudness in LUFS, where it was to have one.
  package var loudness: Double?

  init(_ piece: ExportLayout.Piece, at path: String?, bytes: Int64, marks: Int) {
    self.path = path
    frames = piece.range.upperBound - piece.range.lowerBound
    self.bytes = bytes
    self.marks = marks
  }
}

/// An export at work: decodes once and writes one file after the other, each of which gets its name
/// when it is whole.
package struct Export {
  /// Opens a decoder of a file for an order, from a frame on.
  package typealias Opening =
    (_ file: borrowing Descriptor, _ order: DecodeOrder, _ first: FrameCount)
    throws(DecodingError) -> any FrameSupply
  /// Receives the share that is done, 0 to 1; throws to stop.
  package typealias Progress = (Double) throws(ExportError) -> Void

  private let source: ExportSource
  private let open: Opening
  private let progress: Progress
  private let file: OpenFile

  /// The levels of the whole source where they were measured before: the loudness and the true peak.
  package var known: SoundLevels?
  /// Receives the levels of the whole source where an export has measured them.
  package var note: (SoundLevels) -> Void = { _ in }

  /// An export of a source from its file.
  package init(
    of source: ExportSource, in file: OpenFile, by open: @escaping Opening,
    progress: @escaping Progress
  ) {
    self.source = source
    self.file = file
    self.open = open
    self.progress = progress
  }

  private var decoder: ExportReader.Decoder {
    { order, first throws(DecodingError) in
      var order = order
      order.raw = source.raw
      return try open(file.descriptor, order, first)
    }
  }

  /// Writes the files of a plan; throws before the first where a name is taken.
  package func run(
    _ plan: ExportPlan, to target: ExportTarget
  ) throws(ExportError) -> (layout: ExportLayout, files: [ExportedFile]) {
    var layout = try ExportLayout(plan, source)
    var rest = 0.0...1
    if plan.trims {
      let part = try layout.trimmed(by: decoder, progress: step(0...0.3))
      layout = try ExportLayout(plan, source, part: part)
      rest = 0.3...1
    }
    let places = try places(layout, target)
    if let loudness = plan.loudness, let piece = layout.pieces.first {
      return (layout, [try normalize(piece, at: places[0], target, layout, to: loudness, rest)])
    }
    var samples = try ExportSamples(layout, nil, by: decoder)
    var files: [ExportedFile] = []
    for (piece, place) in zip(layout.pieces, places) {
      let file = try Self.file(place, target)
      let (size, marks) = try write(piece, to: file, layout, &samples, step(rest))
      try Self.deliver(file, to: target)
      files.append(ExportedFile(piece, at: place, bytes: size, marks: marks))
    }
    samples.end()
    return (layout, files)
  }

  /// Decodes all of it and measures its levels and its loudness.
  ///
  /// - Returns: the levels, and the reason why the loudness is not among them.
  package func measured() throws(ExportError) -> (levels: SoundLevels, refusal: AnalysisError?) {
    let frames = source.frames
    let stream = StreamFormat(rate: source.rate, channels: source.channels, sample: .float32)
    let reader = try ExportReader(decoder, stream)
    // Large enough that the two threads seldom wait for each other.
    reader.size = max(1, 32_768 / stream.channels.value)
    let measurement = try SoundMeasurement(stream)
    while reader.place < frames {
      try reader.read(upTo: frames)
      try measurement.take(reader.floats)
      try progress(Double(reader.place.value) / Double(frames.value))
    }
    reader.end()
    return (measurement.finish(), measurement.refusal)
  }

  /// The progress of a part of the work, which moves the whole from one share to another.
  private func step(_ part: ClosedRange<Double>) -> Progress {
    { share throws(ExportError) in
      try progress(part.lowerBound + share * (part.upperBound - part.lowerBound))
    }
  }

  /// Writes a file again until it has the loudness that is wanted.
  private func normalize(
    _ piece: ExportLayout.Piece, at path: String?, _ target: ExportTarget,
    _ layout: ExportLayout, to loudness: Double, _ part: ClosedRange<Double>
  ) throws(ExportError) -> ExportedFile {
    let known = layout.isWhole(of: source) ? self.known : nil
    let middle = known == nil ? (part.lowerBound + part.upperBound) / 2 : part.lowerBound
    let levels =
      if let known { known } else { try measured(layout, part.lowerBound...middle) }
    var next = try Normalizing(to: loudness, from: levels, isLossy: layout.format.isLossy)
    // The file itself is measured in any case, so frames with a known level are not.
    for _ in 1..<Normalizing.mostMeasurements where !next.isForeseen {
      let levels = try SoundLevels(
        of: layout, after: next.change, by: decoder, progress: step(middle...middle))
      if next.accepts(levels) { break }
    }
    next.forget()
    var attempts = 0
    while true {
      if attempts == Normalizing.mostAttempts { next.settle() }
      let file = try Self.file(path, target)
      var samples = try ExportSamples(layout, next.change, by: decoder)
      let (size, marks) = try write(
        piece, to: file, layout, &samples, step(middle...part.upperBound))
      samples.end()
      attempts += 1
      let levels = try self.levels(of: file, layout.stream)
      if next.accepts(levels) || attempts > Normalizing.mostAttempts {
        try Self.deliver(file, to: target)
        var exported = ExportedFile(piece, at: path, bytes: size, marks: marks)
        exported.loudness = levels.loudness?.integrated
        return exported
      }
    }
  }

  /// Measures the frames of a layout as they are.
  private func measured(
    _ layout: ExportLayout, _ part: ClosedRange<Double>
  ) throws(ExportError) -> SoundLevels {
    let levels = try SoundLevels(
      of: layout, after: LevelChange(), by: decoder, progress: step(part))
    if layout.isWhole(of: source) { note(levels) }
    return levels
  }

  /// Measures a file that was written, as others will decode it.
  private func levels(
    of file: borrowing UnfinishedFile, _ stream: StreamFormat
  ) throws(ExportError) -> SoundLevels {
    let descriptor: Descriptor
    do throws(SystemError) { descriptor = try file.descriptor() } catch { throw .output(error) }
    let supply: any FrameSupply
    do throws(DecodingError) {
      supply = try open(descriptor, DecodeOrder(name: "-", format: stream), 0)
    } catch {
      throw .decoding(error)
    }
    return try SoundLevels(of: supply, stream)
  }

  /// The paths of the files, all of which are free; nil for a stream.
  private func places(
    _ layout: ExportLayout, _ target: ExportTarget
  ) throws(ExportError) -> [String?] {
    guard case .file(let path) = target else { return layout.pieces.map { _ in nil } }
    let paths = layout.pieces.count == 1 ? [path] : Self.numbered(path, layout.pieces.count)
    for path in paths where (try? FileStatus(of: path, following: false)) != nil {
      throw .output(SystemError("openat", path, errno: .exists))
    }
    return paths
  }

  /// `talk-001.flac` and so on.
  static func numbered(_ path: String, _ count: Int) -> [String] {
    let (directory, name) = path.pathParts
    let (stem, ending) = name.nameParts
    let width = max(3, String(count).count)
    return (1...count).map { index in
      let digits = String(index)
      let number = String(repeating: "0", count: width - digits.count) + digits
      let numbered = "\(stem)-\(number)\(ending)"
      return path.utf8.contains(UInt8(ascii: "/")) ? directory.path(of: numbered) : numbered
    }
  }

  /// Writes a file and returns its size and the number of its marks.
  private func write(
    _ piece: ExportLayout.Piece, to file: borrowing UnfinishedFile, _ layout: ExportLayout,
    _ samples: inout ExportSamples, _ progress: Progress
  ) throws(ExportError) -> (size: Int64, marks: Int) {
    var writer = try writer(of: piece, layout, file)
    while samples.place < piece.range.upperBound {
      try samples.read(upTo: piece.range.upperBound)
      try Self.write(samples.bytes, of: layout.stream.sample, to: &writer, file.path)
      try progress(layout.share(before: samples.place))
    }
    let size = try Self.close(&writer, file)
    // Some encoders begin a file with its first frame.
    guard size > 0 else { throw .refused(.noFrames(layout.format)) }
    return (size, writer.marks.count)
  }

  private func writer(
    of piece: ExportLayout.Piece, _ layout: ExportLayout, _ file: borrowing UnfinishedFile
  ) throws(ExportError) -> ExportWriter {
    var tags = layout.format.holdsTags ? source.tags : [:]
    tags[.title] = piece.label ?? tags[.title]
    let descriptor: Descriptor
    do throws(SystemError) { descriptor = try file.descriptor() } catch { throw .output(error) }
    do throws(SoundFileError) {
      return try ExportWriter(
        descriptor, named: file.path ?? "-", layout.format, layout.stream, tags: tags,
        marks: layout.format.holdsMarks ? piece.marks : [])
    } catch {
      throw .writing(path: file.path ?? "-", error)
    }
  }

  private static func file(
    _ path: String?, _ target: ExportTarget
  ) throws(ExportError) -> UnfinishedFile {
    do throws(SystemError) {
      if case .stream(_, let directory) = target {
        return try UnfinishedFile(unnamedIn: directory)
      }
      return try UnfinishedFile(for: path ?? "")
    } catch {
      throw .output(error)
    }
  }

  private static func write(
    _ bytes: [UInt8], of sample: SampleFormat, to writer: inout ExportWriter, _ path: String?
  ) throws(ExportError) {
    do throws(SoundFileError) {
      try writer.write(unsafe bytes.span.bytes, of: sample)
    } catch {
      throw .writing(path: path ?? "-", error)
    }
  }

  /// Ends the file and returns its size.
  private static func close(
    _ writer: inout ExportWriter, _ file: borrowing UnfinishedFile
  ) throws(ExportError) -> Int64 {
    do throws(SoundFileError) {
      try writer.close()
    } catch {
      throw .writing(path: file.path ?? "-", error)
    }
    do throws(SystemError) {
      return try file.descriptor().status().size
    } catch {
      throw .output(error)
    }
  }

  private static func deliver(
    _ file: consuming UnfinishedFile, to target: ExportTarget
  ) throws(ExportError) {
    do throws(SystemError) {
      guard case .stream(let number, _) = target else { return try file.publish() }
      try file.copy(to: number)
    } catch {
      throw .output(error)
    }
  }
}

/// A file of any format that is exported to, while it is written.
private struct ExportWriter: ~Copyable {
  private var recorded: SoundFileWriter?
  private var encoded: EncodedFileWriter?
  /// The marks that the file holds, which may be fewer than were given.
  let marks: [SoundFileCue]

  /// Begins a file with the texts and marks that its format holds.
  init(
    _ descriptor: consuming Descriptor, named path: String, _ format: ExportFormat,
    _ stream: StreamFormat, tags: SoundFileTags, marks: [SoundFileCue]
  ) throws(SoundFileError) {
    guard let container = format.recorded else {
      encoded = try EncodedFileWriter(
        descriptor, named: path, format, stream, tags: tags, chapters: marks)
      recorded = nil
      self.marks = marks
      return
    }
    var settings = SoundFileSettings(format: container, stream: stream, tags: tags)
    settings.hasTail = true
    let hasChapters = format == .flac || format == .opus
    if hasChapters { settings.chapters = marks }
    recorded = try SoundFileWriter(descriptor, named: path, settings)
    encoded = nil
    self.marks = hasChapters ? settings.heldChapters : marks
  }

  /// Writes whole frames in the samples of the file.
  mutating func write(_ frames: RawSpan, of sample: SampleFormat) throws(SoundFileError) {
    try recorded?.write(frames, of: sample)
    try encoded?.write(frames, of: sample)
  }

  /// Ends the file and waits until all of it is on the disk.
  mutating func close() throws(SoundFileError) {
    if let writer = recorded.take() { try writer.close(cues: marks) }
    if let writer = encoded.take() { try writer.close() }
  }
}
