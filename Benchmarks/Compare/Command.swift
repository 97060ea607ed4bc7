internal import Glibc

/// A command that could not be run, or that ended with an unexpected exit code.
struct FailedCommand: Error, CustomStringConvertible {
  let name: String
  let reason: String

  var description: String { "‘\(name)’ \(reason)" }
}

/// A program in PATH with its arguments.
struct Command {
  let words: [String]
  /// The expected exit code.
  let code: Int32

  /// Takes the words of a command. A last word such as `=10` is the expected exit code; without it
  /// the code is 0.
  init(_ words: [String]) {
    let code = words.last.flatMap { $0.hasPrefix("=") ? Int32($0.dropFirst()) : nil }
    self.words = code == nil ? words : words.dropLast()
    self.code = code ?? 0
  }

  var name: String { words.joined(separator: " ") }

  /// Runs the command with its standard streams connected to `/dev/null`, and returns the
  /// milliseconds until its end.
  func run() throws(FailedCommand) -> Double {
    let start = now()
    let process = try spawn()
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw failure("cannot be waited for") }
    }
    let end = now()
    guard status == code << 8 else { throw failure("failed with wait status \(status)") }
    return Double(end - start) / 1e6
  }

  private func spawn() throws(FailedCommand) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
    guard code == 0 else {
      throw failure("cannot be started: \(unsafe String(cString: strerror(code)))")
    }
    return process
  }

  private func failure(_ reason: String) -> FailedCommand {
    FailedCommand(name: name, reason: reason)
  }

  private func now() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
