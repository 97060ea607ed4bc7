internal import Audio
internal import Control
internal import Exports
internal import Files
internal import JSON
internal import Linux
internal import Pictures

private let mostColumns = 4_000
/// The largest number of rows. More rows would show no more detail of the frequencies.
private let mostRows = 500
/// The largest number of bytes of sound in a page.
private let mostEmbedded: Int64 = 20_000_000

/// The pictures of one part of a take, in the terminal or as files.
struct TakePictures {
  /// A file of the take.
  struct File {
    let path: String
    let sound: OpenSound
  }

  /// The part of the sound that is drawn.
  let range: Range<FrameCount>
  /// The file of the take, or one for each of its tracks.
  let files: [File]
  /// The sound with the channels of all files.
  let source: ExportSource
  let console: Console

  private var path: String { files[0].path }
  private var file: OpenFile { files[0].sound.file }
  private var marks: [LabelledFrame] {
    source.marks.filter { !$0.isGap }.map { LabelledFrame($0.frame, $0.label) }
  }
  /// The gaps of the take and of single tracks.
  private var gaps: [LabelledFrame] {
    let rate = source.deviceRate ?? source.rate
    let own = source.tracks.flatMap { track in
      (track.gaps ?? []).map { gap in
        LabelledFrame(
          gap.position.converted(from: rate, to: source.rate), "silent \(gap.lengthText(at: rate))",
          track: track.name, length: gap.length.converted(from: rate, to: source.rate))
      }
    }
    return (source.gaps.map { LabelledFrame($0.frame, $0.label) } + own)
      .sorted { $0.frame < $1.frame }
  }
  private var axis: TimeAxis { TimeAxis(range, at: source.rate, marks: marks, gaps: gaps) }

  /// Writes each file of a plan and returns a report for each.
  func written(_ plan: ShowPlan) throws -> [PictureReport.File] {
    for file in plan.files where file.path != "-" {
      // Without this check, an existing file would be noticed only after the sound was read.
      // Reading can take minutes.
      if (try? FileStatus(of: file.path, following: false)) != nil {
        throw Failure(writing: SystemError("openat", file.path, errno: .exists))
      }
    }
    var written: [PictureReport.File] = []
    for file in plan.files {
      let missing = MissingDirectory(above: file.path)
      defer { missing?.report(to: console) }
      written.append(try write(file, plan))
    }
    return written
  }

  /// Draws the picture of a plan for the terminal.
  func drawn(_ plan: ShowPlan) throws -> ShowReport {
    let (width, height) = plan.cells(source.channels)
    if plan.isSpectrogram {
      let columns = SpectrogramText.columns(width: width)
      let order = PictureOrder(columns: columns, rows: height, of: range)
      let picture = SpectrogramText(
        spectrogram: try spectrogram(order), axis: axis, width: width)
      return ShowReport(path: path, channels: source.channels, picture: picture)
    }
    let overview = try overview(columns: WaveformText.columns(width: width))
    let picture = WaveformText(overview: overview, axis: axis, width: width, height: height)
    return ShowReport(path: path, channels: source.channels, picture: picture)
  }

  /// Returns the levels in `columns` columns. If the sound has many channels, returns fewer
  /// columns, because the answer of the child process has a limited length.
  private func overview(columns: Int) throws -> Overview {
    let most = 50_000 / source.channels.value
    let order = PictureOrder(columns: min(columns, most), of: range)
    let overviews = try read(order, Overview.init(_:for:))
    var overview = overviews[0]
    overview.channels = overviews.flatMap(\.channels)
    overview.tracks = source.tracks
    return overview
  }

  /// Returns one spectrogram for all files: in each cell, the highest level of the files.
  private func spectrogram(_ order: PictureOrder) throws -> Spectrogram {
    let spectrograms = try read(order, Spectrogram.init(_:for:))
    return spectrograms.dropFirst().reduce(spectrograms[0]) { $0.strongest($1) }
  }

  private func spectrogram(
    _ width: Int, _ height: Int, hasTimes: Bool = true
  ) throws -> SoundDrawing {
    let (columns, rows) = (min(width, mostColumns), min(height, mostRows))
    let order = PictureOrder(columns: columns, rows: rows, of: range)
    return SoundDrawing(
      .spectrogram(try spectrogram(order)), axis, width: width, height: height, hasTimes: hasTimes)
  }

  private func waveform(_ width: Int, _ height: Int) throws -> SoundDrawing {
    SoundDrawing(.waveform(try overview(columns: width)), axis, width: width, height: height)
  }

  private func write(_ file: ShowPlan.File, _ plan: ShowPlan) throws -> PictureReport.File {
    let (width, height) = plan.pixels
    let bytes: [UInt8]
    var link: PictureReport.Link?
    if file.kind == .page {
      guard let sound = try sound(for: file.path) else { return try alone().write(file, plan) }
      bytes = try page(with: sound)
      if case .linked(let path) = sound.location {
        link = PictureReport.Link(path: path, isPlayed: MediaType.of(self.file) != nil)
      }
    } else {
      let drawing = try plan.isSpectrogram ? spectrogram(width, height) : waveform(width, height)
      bytes =
        file.kind == .svg
        ? try drawing.svg(title: title) : try PNGFile.bytes(of: drawing.pixels)
    }
    try Self.save(bytes, as: file.path)
    return PictureReport.File(
      kind: file.kind, path: file.path == "-" ? nil : file.path, bytes: bytes.count, link: link)
  }

  /// Writes a file that gets its name when it is complete, or writes to stdout.
  private static func save(_ bytes: [UInt8], as path: String) throws {
    try writing(path) { () throws(SystemError) in
      guard path != "-" else {
        let output = Descriptor(owning: StandardStream.output.rawValue)
        let result = Result { () throws(SystemError) in try output.writeAll(bytes.span) }
        _ = output.release()
        if case .failure(let error) = result, error.errno == .brokenPipe { return }
        return try result.get()
      }
      let file = try UnfinishedFile(for: path)
      let writer = try file.descriptor()
      try writer.writeAll(bytes.span)
      try writer.synchronize()
      try file.publish()
    }
  }
}

extension TakePictures {
  private var title: String { source.tags[.title] ?? path.pathParts.name }

  private var facts: [String] {
    let length = clock((range.upperBound - range.lowerBound).duration(at: source.rate))
    let form = "\(length), \(source.rate), \(source.channels)"
    let texts = [source.tags[.date], source.tags[.comment]].compactMap(\.self)
    return [form] + texts
  }

  private func page(with sound: PageSound) throws -> [UInt8] {
    let page = Page(
      title: title, facts: facts, waveform: try waveform(1_200, 240),
      spectrogram: try spectrogram(1_200, 320, hasTimes: false), sound: sound)
    return try page.bytes()
  }

  /// Returns the pictures of the first track alone, because a page can link to only one file.
  /// Prints a note about this.
  private func alone() -> TakePictures {
    console.note(
      Message(
        "the sound of all tracks is too large for a page; this page has only \(quoted(path))",
        advice: "\"recorder show --page PAGE FILE\" writes a page for the file of another track"))
    return TakePictures(
      range: range, files: [files[0]], source: files[0].sound.source, console: console)
  }

  /// Returns the sound for a page, or nil if there are several files and their sound is too large.
  private func sound(for page: String) throws -> PageSound? {
    let isWhole = range == 0..<source.frames && files.count == 1
    let start = Double(range.lowerBound.value) / Double(source.rate.hertz)
    if isWhole, let type = MediaType.of(file), file.size ?? .max <= mostEmbedded {
      return PageSound(.embedded(type: type, try contents(of: file.descriptor)), from: 0)
    }
    let frames = (range.upperBound - range.lowerBound).value
    if frames * Int64(2 * source.channels.value) <= 2 * mostEmbedded,
      source.channels.value <= 8
    {
      let copy = try Self.temporary()
      try writeFLAC(range, to: copy)
      if (try? copy.status())?.size ?? .max <= mostEmbedded {
        let bytes = try contents(of: copy)
        return PageSound(.embedded(type: "audio/flac", bytes), from: start)
      }
    }
    return files.count > 1 ? nil : PageSound(.linked(path: try address(from: page)), from: 0)
  }

  /// Returns the path of the sound relative to a page.
  private func address(from page: String) throws -> String {
    try writing(page) { () throws(SystemError) in
      let parent = page == "-" ? "." : page.pathParts.directory
      // The directory is created first, because the relative path depends on its symbolic links.
      try Directory.makeAll(parent)
      let directory = try Descriptor(opening: parent, [.pathOnly, .directory])
      return try Self.currentPath(of: file.descriptor)
        .relative(from: Self.currentPath(of: directory))
    }
  }

  private static func currentPath(of file: borrowing Descriptor) throws(SystemError) -> String {
    guard let path = try file.currentPath() else { throw SystemError("open", errno: .noSuchFile) }
    return path
  }

  private static func temporary() throws -> Descriptor {
    let directory = Environment.value(of: "TMPDIR") ?? "/var/tmp"
    return try writing(directory) { () throws(SystemError) in
      try UnfinishedFile(unnamedIn: directory).descriptor()
    }
  }

  private func contents(of file: borrowing Descriptor) throws -> [UInt8] {
    try Failure.context("cannot read \(quoted(path))", .notFound) {
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try file.read(into: &chunk, at: Int64(bytes.count))
        if count == 0 { return bytes }
        bytes += chunk[..<count]
      }
    }
  }
}

// MARK: - Reading

extension TakePictures {
  /// Reads what `order` requests from each file, in a child process with almost no rights.
  private func read<Picture>(
    _ order: PictureOrder, _ read: (JSONObject, PictureOrder) -> Picture?
  ) throws -> [Picture] {
    try files.map { file in
      let line = try ProgressLine("Reading", file.path, console)
      defer { line.end() }
      return try SoundReading.picture(
        of: file.sound.file, raw: file.sound.source.raw, order, at: file.path, line, read)
    }
  }

  /// Writes `range` as a FLAC file into the open file `target`.
  private func writeFLAC(_ range: Range<FrameCount>, to target: borrowing Descriptor) throws {
    var plan = ExportPlan(.flac)
    plan.from = range.lowerBound.duration(at: source.rate)
    plan.to = range.upperBound.duration(at: source.rate)
    let line = try ProgressLine("Exporting", path, console)
    defer { line.end() }
    let export =
      files.count == 1
      ? Export(of: source, in: file, by: openDecoder, progress: line.update)
      : Export(
        of: files.map { ($0.sound.source, $0.sound.file) }, with: source.tracks,
        by: openDecoder, progress: line.update)
    let directory = Environment.value(of: "TMPDIR") ?? "/var/tmp"
    _ = try exporting(path, from: files.map(\.path)) {
      try export.run(plan, to: .stream(target.number, temporaryIn: directory))
    }
  }
}

extension String {
  /// Returns this path relative to a directory. Both paths are absolute, without symbolic links.
  func relative(from directory: String) -> String {
    var (names, above) = (pathNames[...], directory.pathNames[...])
    while let name = names.first, let next = above.first, names.count > 1, name.isSameName(as: next)
    {
      (names, above) = (names.dropFirst(), above.dropFirst())
    }
    return (above.map { _ in ".." } + names).joined(separator: "/")
  }
}
