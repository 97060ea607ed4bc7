import Foundation

/// A terminal with a program in the foreground. A test types in it and reads its output.
public final class Terminal {
  private let controller: Int32
  private let terminal: Int32
  private var process: Process?
  private var shown = ""

  public init() throws {
    var (first, second) = (Int32(-1), Int32(-1))
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&first, &second, nil, nil, &size) == 0 else {
      throw CocoaError(.fileReadUnknown)
    }
    for number in [first, second] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    (controller, terminal) = (first, second)
  }

  deinit {
    process?.terminate()
    process?.waitUntilExit()
    close(controller)
    close(terminal)
  }

  /// Starts a program with this terminal as its controlling terminal, as a shell in a window does.
  public func start(_ path: String, _ arguments: [String], environment: [String: String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments = ["--ctty", "--wait", path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let handle = FileHandle(fileDescriptor: terminal, closeOnDealloc: false)
    process.standardInput = handle
    process.standardOutput = handle
    process.standardError = handle
    try process.runUnblocked()
    self.process = process
  }

  /// Types keys.
  public func type(_ keys: String) { _ = keys.withCString { write(controller, $0, strlen($0)) } }

  /// Reads until a text appears. Returns all output since the beginning, or nil after the time
  /// limit.
  public func read(until text: String, within seconds: Double = 15) -> String? {
    let end = Date().addingTimeInterval(seconds)
    while !shown.contains(text) {
      var waiting = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(0, end.timeIntervalSinceNow * 1_000))
      guard poll(&waiting, 1, left) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = Glibc.read(controller, &bytes, bytes.count)
      guard count > 0 else { return nil }
      shown += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return shown
  }
}
