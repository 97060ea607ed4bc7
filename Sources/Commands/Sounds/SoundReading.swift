internal import Audio
internal import Control
internal import Decoding
internal import Exports
internal import Files
internal import JSON
internal import Linux
internal import Sounds
internal import Takes

/// The reading of sound files in child processes, so that a crash affects only a child process.
enum SoundReading {
  /// The contents of a file, or the reason why they cannot be read.
  enum Answer: Equatable {
    case described(SoundDescription)
    case problem(SoundProblem)
  }

  /// The most bytes that a child may write for one file. A file may have thousands of marks.
  static let longest = 1 << 24
  /// The most bytes that a child may write for a picture: two million cells of a spectrogram in
  /// base 64.
  static let longestPicture = 3 << 20

  /// The reason that is reported for a file on which a child crashed.
  static let broken = "its reader crashed"

  /// Describes the files, and returns the answers in the same sequence. The caller must not pass
  /// more files than a process may open.
  static func describe(_ files: [OpenFile]) throws -> [Answer] {
    try all(files.count, .problem(SoundProblem(broken))) { rest in
      let files = Array(files[rest])
      return try lines(about: files, DescribeOrder(files: files.count)).map(answer)
    }
  }

  /// Calls `ask`, which runs a child process, until each of the `count` files has an answer. If a
  /// child crashed on a file, the answer for this file is `broken`, and another child continues
  /// with the next file.
  static func all<Answer>(
    _ count: Int, _ broken: Answer, _ ask: (Range<Int>) throws -> [Answer]
  ) throws -> [Answer] {
    var answers: [Answer] = []
    while answers.count < count {
      answers += try ask(answers.count..<count).prefix(count - answers.count)
      if answers.count < count { answers.append(broken) }
    }
    return answers
  }

  /// Describes the file at `path`. Returns a problem if a play would refuse the file before the
  /// sound starts.
  static func examine(_ file: OpenFile, at path: String) throws -> Answer {
    let order = DescribeOrder(files: 1, isTried: true, raw: TakeLookup.rawFormat(of: path))
    let line = try lines(about: [file], order, bytesASecond: slowestBytes).first
    let answer = line.map(answer) ?? .problem(SoundProblem(broken))
    guard case .described(var description) = answer else { return answer }
    description.raw = order.raw
    return .described(description)
  }

  /// Describes the file at `path` and plans its repaired copy. The copy is nil if the file is
  /// whole. Throws if the file cannot be repaired.
  static func repair(
    of file: OpenFile, at path: String
  ) throws -> (description: SoundDescription, copy: WaveCopy?) {
    let order = DescribeOrder(files: 1, isRepair: true)
    let line = try lines(about: [file], order, bytesASecond: slowestBytes).first
    let object = line.flatMap { Self.object($0) }
    guard let object, let description = SoundDescription(object) else {
      throw Failure(reading: path, object.flatMap(SoundProblem.init) ?? SoundProblem(broken))
    }
    let copy = object["copy"]
    if let problem = copy?.object.flatMap({ SoundProblem($0) }) {
      throw Failure(
        .notASound, "cannot repair", on: path, why: problem.reason,
        advice: "\"recorder export \(shellArgument(path)) NEW-FILE\" writes the audio that it has")
    }
    return (description, copy.flatMap { WaveCopy(json: $0) })
  }

  /// Reads a range of one file for a picture.
  static func picture<Picture>(
    of file: OpenFile, raw: StreamFormat?, _ picture: PictureOrder, at path: String,
    _ progress: ProgressLine, _ read: (JSONObject, PictureOrder) -> Picture?
  ) throws -> Picture {
    let order = DescribeOrder(files: 1, raw: raw, picture: picture)
    let line = try lines(about: [file], order, bytesASecond: slowestBytes, progress).first
    let limits = JSONLimits(bytes: longestPicture)
    let object = line.flatMap { try? JSONValue(decoding: Array($0).span, limits: limits) }?.object
    if let object, let answer = read(object, picture) { return answer }
    throw Failure(reading: path, object.flatMap(SoundProblem.init) ?? SoundProblem(broken))
  }

  /// Runs one child and returns its output lines, one for each file. There are fewer lines if a
  /// file crashed the child.
  ///
  /// - Parameter slowest: the number of bytes for which the child gets one second of processor
  ///   time, or nil if the child does not read whole files.
  static func lines(
    about files: [OpenFile], _ order: DescribeOrder, bytesASecond slowest: Int64? = nil,
    _ progress: ProgressLine? = nil
  ) throws -> [ArraySlice<UInt8>] {
    try Failure.context("cannot read the sounds") {
      try output(of: files, order, bytesASecond: slowest, progress)
        .split(separator: UInt8(ascii: "\n"))
    }
  }

  private static func output(
    of files: [OpenFile], _ order: DescribeOrder, bytesASecond slowest: Int64?,
    _ progress: ProgressLine?
  ) throws -> [UInt8] {
    var order = order
    // The order contains the processor time, because the child sets its own limits. The child could
    // not raise a limit that this process had set.
    if let slowest { order.seconds = seconds(for: files, slowest) }
    let ends = try Descriptor.pipe()
    let child = try DecoderConfinement.start(
      DescribeCommand.words + [order.json.encoded()],
      [nil, ends.writing.number, nil] + files.map { $0.descriptor.number })
    _ = consume ends.writing
    let reading = ends.reading
    let most = order.picture == nil ? files.count * longest : longestPicture
    let text = Result {
      guard let progress else { return try reading.readAll(upTo: most) }
      return try progress.readAll(from: reading, upTo: most)
    }
    if case .failure = text { try? child.send(.kill) }
    _ = try child.wait()
    return try text.get()
  }

  /// Returns the processor time in seconds, which grows with the size of the files. It is longer
  /// than the time for reading every sample.
  private static func seconds(for files: [OpenFile], _ slowest: Int64) -> Int {
    let bytes = files.reduce(0.0) { $0 + Double($1.size ?? 0) }
    return Int(min(bytes / Double(slowest), 1e9))
  }

  /// The bytes of one second of sound at the lowest bit rate.
  private static let slowestBytes: Int64 = 500

  private static func object(_ line: ArraySlice<UInt8>) -> JSONObject? {
    let limits = JSONLimits(bytes: longest)
    return (try? JSONValue(decoding: Array(line).span, limits: limits))?.object
  }

  /// Returns the answer in a line of a child's output.
  static func answer(_ line: ArraySlice<UInt8>) -> Answer {
    guard let object = object(line) else { return .problem(SoundProblem(broken)) }
    if let problem = SoundProblem(object) { return .problem(problem) }
    return SoundDescription(object).map(Answer.described) ?? .problem(SoundProblem(broken))
  }
}

/// A part reader that uses child processes with almost no rights.
struct ConfinedPartReader: PartReader {
  /// The speed at which the slowest machine reads a damaged file, in bytes per second.
  private static let slowestBytes: Int64 = 1_000_000

  func read(_ parts: [UnreadPart]) throws -> [PartReading] {
    try SoundReading.all(parts.count, .unread(nil)) { rest in
      let parts = parts[rest]
      let order = DescribeOrder(files: parts.count, parts: parts.map(\.clue))
      return try SoundReading.lines(
        about: parts.map(\.file), order, bytesASecond: Self.slowestBytes
      ).map { PartReading(line: $0, upTo: SoundReading.longest) }
    }
  }
}

extension OpenFile {
  /// Opens a sound file. Refuses a directory, a pipe or a device without waiting for it.
  static func sound(_ path: String) throws(Failure) -> OpenFile {
    OpenFile(try decoding(path) { try PlayFile(path).open() })
  }
}

/// An open sound file, with the facts that a child process and the sidecar report.
struct OpenSound {
  let file: OpenFile
  let source: ExportSource

  /// Opens the file at `path`, and warns if it is not whole.
  ///
  /// - Parameter take: the path of the take's first file, which has the sidecar and the title, or
  ///   nil if `path` is the first file.
  init(_ path: String, of take: String? = nil, _ console: Console) throws {
    do throws(Failure) {
      file = try OpenFile.sound(path)
    } catch {
      guard error.code == .notFound else { throw error }
      throw RecordedFile(path).refusal(advising: "show") ?? error.suggesting(takeFor: path)
    }
    switch try SoundReading.examine(file, at: path) {
    case .problem(let problem): throw Failure(reading: path, problem)
    case .described(let description):
      guard var source = description.source else { throw Failure(reading: path, .broken) }
      let first = take ?? path
      if let sidecar = TakeLookup.sidecar(of: first) { source.addSidecar(at: sidecar) }
      // The sidecar describes the file of the first track, but this file has another track.
      if !first.isSameName(as: path) { source.tracks = [] }
      if let title = TakeLookup.changedTitle(at: first) {
        source.tags[.title] = title.isEmpty ? nil : title
      }
      self.source = source
      if let flaw = description.flaw, !RecordedFile(path).isPart {
        console.warn(flaw.warning(about: path))
      }
    }
  }
}

extension OpenSound {
  /// Warns if the files of a take, one for each track, do not have the same length. The take is read
  /// up to the end of the shortest file.
  static func warnOfLengths(_ sounds: [OpenSound], at paths: [String], _ console: Console) {
    let files = zip(paths, sounds.map(\.source.frames))
    guard let shortest = files.min(by: { $0.1 < $1.1 }),
      let longest = files.max(by: { $0.1 < $1.1 }), shortest.1 < longest.1
    else { return }
    func length(_ frames: FrameCount) -> String { counted(Int(clamping: frames.value), "frame") }
    console.warn(
      Message(
        "\(quoted(shortest.0)) has \(length(shortest.1)) and \(quoted(longest.0)) has "
          + "\(length(longest.1)); all tracks are read only up to the end of the shorter file",
        advice: "to read the longer file completely, use its own path or --track"))
  }
}
