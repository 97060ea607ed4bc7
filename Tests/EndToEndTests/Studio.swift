import Foundation
import Support

/// A home directory of its own for recordings, with the permission. All recordings and sounds are
/// stopped when the object is released.
final class Studio {
  let scratch: ScratchDirectory
  let environment: [String: String?]

  init(granting: Bool = true) throws {
    scratch = try ScratchDirectory()
    let runtime = scratch.path("run")
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    environment = scratch.asHome.merging(
      ["XDG_DATA_DIRS": nil, "XDG_RUNTIME_DIR": runtime]) { $1 }
    if granting { try run("$recorder permission grant") }
  }

  deinit {
    _ = try? run("$recorder stop --all; $recorder sound stop --all --device test:null")
  }

  /// Runs a script in the home directory. In it, `start` records the ramp.
  @discardableResult
  func run(_ script: String, limit: Duration = .seconds(60)) throws -> Outcome {
    let start = "start() { \"$recorder\" start --device test:ramp \"$@\"; }; cd \"$HOME\"\n"
    return try sh(start + script, environment: environment, limit: limit)
  }

  /// Starts to record the ramp, and returns the process ID of the session.
  func start(_ arguments: String) throws -> Int {
    let outcome = try run("start --json \(arguments)")
    guard let process = try parsed(outcome.output)["pid"] as? Int else {
      throw NotStarted(outcome: outcome)
    }
    return process
  }

  /// A start or another command that should have succeeded.
  struct NotStarted: Error {
    let outcome: Outcome
  }

  /// Builds the library that delays a program or makes it hang in a certain call. Returns the
  /// variables that load it, to be put before a command.
  func holding(_ place: String) throws -> String {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Preload/hold.c").path
    let made = try run("cc -shared -fPIC -o hold.so '\(source)' -ldl")
    guard made.code == 0 else { throw NotStarted(outcome: made) }
    return "LD_PRELOAD=\(scratch.path("hold.so")) HOLD=\(place)"
  }

  /// Returns the object that a command prints with `--json`.
  func json(_ command: String) throws -> [String: Any] {
    let outcome = try run("$recorder \(command) --json")
    return try parsed(outcome.output)
  }

  /// Returns the frame numbers in a stereo S16 file of the ramp. The low half of each number is the
  /// left channel.
  func ramp(_ name: String, header: Int = 0) throws -> [UInt32] {
    Self.ramp(try scratch.read(name).dropFirst(header))
  }

  static func ramp(_ bytes: some Collection<UInt8>) -> [UInt32] {
    Array(bytes).withUnsafeBytes { bytes in
      Array(
        UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 4 * 4)]).bindMemory(
          to: UInt32.self))
    }
  }

  /// Returns the samples of a sound file, read by sox, or nil if sox cannot read it.
  func soundBytes(_ name: String) throws -> [UInt8]? {
    let outcome = try run("sox '\(name)' -t raw -e signed -b 16 samples.raw")
    return outcome.code == 0 ? try scratch.read("samples.raw") : nil
  }

  /// Returns the names of the sockets that exist.
  func sockets() throws -> [String] {
    let path = scratch.path(Machine.sockets)
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  private static let background = ["session", "player", "hook", "delivery", "decode", "describe"]

  /// The processes that record or play here, by their environment.
  func processes() -> [Int] {
    let mark = Array("HOME=\(scratch.path)".utf8)
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap(Int.init).filter { process in
      guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ"),
        let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
      else { return false }
      let words = command.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return environment.split(separator: 0).contains { Array($0) == mark } && words.count > 1
        && words[0].hasSuffix("/recorder") && Self.background.contains(words[1])
    }
  }
}

/// Parses an object of JSON.
func parsed(_ text: String) throws -> [String: Any] {
  try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
}

/// Returns the gaps in the JSON of a take or track, except overruns of less than 0.2 s together: on a
/// busy machine, PipeWire skips a session in some cycles.
func lastingGaps(_ object: [String: Any]) -> [[String: Any]] {
  let gaps = object["gaps"] as? [[String: Any]] ?? []
  let overruns = gaps.filter { $0["cause"] as? String == "overrun" }
  if overruns.reduce(0, { $0 + ($1["length"] as? Int ?? 48_000) }) > 9_600 { return gaps }
  return gaps.filter { $0["cause"] as? String != "overrun" }
}

extension Array where Element == UInt32 {
  /// Each position at which a number does not follow the one before it, with how many numbers are
  /// missing there.
  var jumps: [(place: Int, missing: Int)] {
    var jumps: [(place: Int, missing: Int)] = []
    // In a debug build, a loop over a pointer is 40 times as fast as a closure for each element.
    withUnsafeBufferPointer { numbers in
      var place = 1
      while place < numbers.count {
        let step = Int(numbers[place]) - Int(numbers[place - 1])
        if step != 1 { jumps.append((place, step - 1)) }
        place += 1
      }
    }
    return jumps
  }
}
