internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Store

/// The waveforms of takes, each in one line. A background process computes one waveform at a time.
/// The process is killed if its take scrolls out of view.
struct Thumbnails {
  /// The thumbnails by the number of the take; the text is empty if the file cannot be shown.
  private(set) var known: [Int: String] = [:]
  private let program: String
  private var width = 0
  private var job: Job?

  /// - Parameter program: the path of `recorder`.
  init(by program: String) { self.program = program }

  /// The process that computes one thumbnail.
  private final class Job {
    let take: Int
    let output: Descriptor
    var text: [UInt8] = []
    private var process: ChildProcess?

    init(_ take: Int, _ process: consuming ChildProcess, _ output: consuming Descriptor) {
      self.take = take
      self.output = output
      self.process = .some(process)
    }

    /// Kills the process and waits for its end.
    deinit {
      guard let process = process.take() else { return }
      try? process.send(.kill)
      _ = try? process.wait()
    }
  }

  /// The limit for the output of the process, in bytes. The output for a thumbnail is never longer.
  private static let longest = 1 << 22

  /// The descriptor that is readable if the process has written something or ended; -1 if there is
  /// no process.
  var number: Int32 { job?.output.number ?? -1 }

  /// Ends the process if its take is not among these takes. Then, if no process is running, starts
  /// one for the first of these takes without a thumbnail.
  mutating func want(_ takes: [ListedTake], width: Int) {
    if width != self.width {
      cancel()
      (known, self.width) = ([:], width)
    }
    if let take = job?.take, !takes.contains(where: { $0.number == take }) { cancel() }
    guard width > 0, job == nil,
      let next = takes.first(where: { $0.number.map { known[$0] == nil } == true }),
      let number = next.number
    else { return }
    job = try? start(next, number)
    if job == nil { known[number] = "" }
  }

  private func start(_ take: ListedTake, _ number: Int) throws(SystemError) -> Job {
    let ends = try Descriptor.pipe()
    var spawn = Spawn(
      program,
      ["show", "--json", "--quiet", "--width", "\(width)", "--", take.path ?? ""])
    spawn.descriptors = [nil, ends.writing.number, nil]
    let process = try spawn.start()
    try ends.reading.setNonBlocking(true)
    return Job(number, process, ends.reading)
  }

  /// Reads the output of the process. Returns true if a thumbnail was completed.
  mutating func serve() -> Bool {
    guard let job else { return false }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count: Int?
      do throws(SystemError) {
        count = try job.output.readIfReady(into: &chunk)
      } catch {
        // An error counts as the end of the output.
        count = 0
      }
      guard let count else { return false }
      if count > 0, job.text.count < Self.longest {
        job.text += chunk[..<count]
        continue
      }
      known[job.take] = Self.picture(job.text, width: width)
      cancel()
      return true
    }
  }

  /// Ends the process.
  mutating func cancel() { job = nil }

  /// Draws the output of `show --json`: in each column, the peak of the loudest channel.
  private static func picture(_ text: [UInt8], width: Int) -> String {
    let json = try? JSONValue(decoding: text.span, limits: JSONLimits(bytes: longest))
    let channels = json?["channels"]?.array ?? []
    let peaks = channels.map { channel in
      (channel["peak"]?.array ?? []).map { Decibels(json: $0).amplitude }
    }
    guard let count = peaks.map(\.count).max(), count > 0 else { return "" }
    let loudest = (0..<count).map { index in
      peaks.compactMap { $0.indices.contains(index) ? $0[index] : nil }.max() ?? 0
    }
    return WaveformText.line(of: loudest, width: width)
  }
}
