internal import Linux
internal import Store

/// The beginning of a take, played while the user picks. A separate process of `recorder play`
/// plays it. When that process gets a signal to end, the sound fades out.
struct TakePreview: ~Copyable {
  /// The options of the play, such as its device.
  private let options: [String]
  private var process: ChildProcess?
  private var errors: Descriptor?
  /// The time at which the preview ends, on the monotonic clock, or nil if nothing plays.
  private(set) var end: Duration?

  /// The length of a preview.
  private static let length = Duration.seconds(5)

  /// The descriptor that is readable after the play has ended by itself; -1 if there is no play.
  private(set) var number: Int32 = -1

  /// - Parameter options: the options for `recorder play`.
  init(_ options: [String]) { self.options = options }

  /// Plays the beginning of a take, after ending the previous preview. Throws if the process cannot
  /// be started.
  mutating func play(_ path: String) throws(SystemError) {
    stop()
    let ends = try Descriptor.pipe()
    try ends.reading.setNonBlocking(true)
    var spawn = Spawn(try ExecutablePath.current(), ["play", "--quiet"] + options + ["--", path])
    spawn.descriptors = [nil, nil, ends.writing.number]
    let started = try spawn.start()
    number = started.descriptor.number
    process = .some(started)
    errors = .some(ends.reading)
    end = KernelClock.monotonic.now + Self.length
  }

  /// Ends the play.
  mutating func stop() {
    (end, number) = (nil, -1)
    errors = nil
    guard let running = process.take() else { return }
    try? running.send(.terminate)
    _ = try? running.wait()
  }

  /// Handles the end of the play. Returns the error message if the play failed.
  mutating func finishPlay() -> String? {
    guard let ended = process.take() else { return nil }
    (end, number) = (nil, -1)
    let isDone = (try? ended.wait()) == .exited(ExitCode.done.rawValue)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = (try? errors?.readIfReady(into: &bytes) ?? nil) ?? 0
    errors = nil
    guard !isDone, count > 0 else { return nil }
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    let text = String(decoding: line, as: UTF8.self)
    return text.begins(with: "recorder: ") ? String(text.dropFirst(10)) : text
  }
}
