internal import Audio
internal import Control
internal import JSON
internal import Linux
internal import Takes

/// The loop that passes the sound of a recording to stdout.
struct TapLoop: ~Copyable {
  /// The end of the loop.
  enum End {
    /// The take ended, stdout was closed, or a signal came.
    case ended
    /// The session has refused to continue.
    case refused(Refusal)
    /// The session has closed the connection without a last packet.
    case disconnected
  }

  private var stream: TapStream
  private var conversion: TapConversion
  private let output: StreamFormat
  private let signals: StopSignals
  /// The bytes to write. They are collected here even if stdout is slow, because the session drops
  /// frames for a slow reader, and waits only briefly for its readers at the end of the take.
  private var pending: ArraySlice<UInt8>
  private let wave: StreamedWave?
  /// The number of bytes written after the header. It is negative before the end of the header.
  private var written: Int64
  private var end: End?
  private var isConnected = true

  /// The largest number of bytes in one write. A pipe that is ready accepts this many at once. So
  /// no write blocks the loop, and a signal always ends the loop.
  private static let mostWritten = 4_096
  /// The most bytes that wait for the reader of stdout, before the loop stops receiving.
  private static let mostPending = 64 << 20

  init(
    _ stream: consuming TapStream, to output: StreamFormat, as format: FileFormat,
    until signals: StopSignals
  ) {
    conversion = TapConversion(from: stream.format, to: output)
    self.stream = stream
    self.output = output
    self.signals = signals
    let header = StreamOutput.header(of: output, as: format)
    pending = header[...]
    written = -Int64(header.count)
    if let stdout = try? Descriptor(duplicating: .output) {
      wave = StreamedWave(in: stdout, output, as: format)
    } else {
      wave = nil
    }
  }

  mutating func run() throws -> End {
    var poll = Poll(capacity: 3)
    while true {
      try fill()
      if let end, pending.isEmpty { return end }
      poll.removeAll()
      let signal = poll.add(signals.number)
      let stdout = poll.add(
        StandardStream.output.rawValue, for: pending.isEmpty ? [] : .writable)
      let input = poll.add(hasRoom ? stream.number : -1)
      try poll.wait(upTo: nil)
      if !poll[signal].isEmpty { signals.take() }
      if signals.hasCome { return .ended }
      if !poll[stdout].isEmpty, try !write() { return .ended }
      if !poll[input].isEmpty { isConnected = stream.receive() }
    }
  }

  private var hasRoom: Bool { end == nil && pending.count < Self.mostPending }

  /// Converts all received packets, if there is room.
  private mutating func fill() throws {
    while hasRoom {
      switch try stream.next() {
      case (.frames(let bytes, _), let lost)?:
        pending += try conversion.convert(bytes, afterGap: lost > 0)
      case (.end(let reply, _), _)?:
        pending += try conversion.drain()
        if case .refused(let refusal) = reply { end = .refused(refusal) } else { end = .ended }
      case nil where isConnected: return
      case nil:
        pending += try conversion.drain()
        end = .disconnected
      }
    }
  }

  /// Writes a piece. Returns false if the reader of stdout has closed the pipe.
  private mutating func write() throws -> Bool {
    // With nothing to write, stdout is ready only after its reader has closed the pipe.
    if pending.isEmpty { return false }
    do throws(SystemError) {
      let count = try StandardStream.output.write(pending.prefix(Self.mostWritten))
      pending.removeFirst(count)
      written += Int64(count)
      return true
    } catch {
      switch error.errno {
      case .brokenPipe: return false
      case .wouldBlock: return true
      default: throw Failure(.outputRefused, "\(error)")
      }
    }
  }

  /// Corrects the header if stdout is a regular file.
  func finishHeader() {
    guard let wave, let stdout = try? Descriptor(duplicating: .output) else { return }
    wave.correct(in: stdout, audio: written)
  }

  /// Counts the frames from the last received frame to the end of the take as lost.
  mutating func end(at length: FrameCount) { stream.miss(upTo: length) }

  func report(of name: SessionName) -> TapReport {
    TapReport(
      name: name.text, input: stream.format, output: output, first: stream.first,
      frames: stream.frames, lost: stream.lost)
  }
}

/// The report of a finished tap. All counts are frames of the recording.
struct TapReport: Report {
  let name: String
  /// The format of the recording, with the channels that were read.
  let input: StreamFormat
  /// The format that was written.
  let output: StreamFormat
  /// The position of the first frame in the take.
  let first: FrameCount
  let frames: FrameCount
  let lost: FrameCount

  /// The loss in words, or nil if there was none.
  var loss: String? {
    guard lost > 0 else { return nil }
    let length = clock(lost.duration(at: input.rate))
    return "\(counted(Int(lost.value), "frame")) (\(length)) were lost"
  }

  var exitCode: ExitCode { lost > 0 ? .incomplete : .done }

  func text(_ style: Style) -> String { "" }

  var json: JSONObject {
    [
      "name": name.json, "position": first.json, "frames": frames.json, "lost": lost.json,
      "file": input.json, "stream": output.json,
    ]
  }
}
