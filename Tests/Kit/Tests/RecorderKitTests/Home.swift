import Foundation
import RecorderKit

/// A home of its own for the whole run, so that no test reads or writes the user's.
enum Home {
  /// The directory; its first use moves this process into it, unless that is in a private one.
  static let path: String = {
    let path = NSTemporaryDirectory() + "recorderkit-" + UUID().uuidString
    let runtime = path + "/run"
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
    try? FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: attributes)
    // scripts/test-kit has made a home, and its card is found by the variables that are set below.
    if ProcessInfo.processInfo.environment["RECORDER_PACED_CARD"] != nil { return path }
    for variable in ["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
      unsetenv(variable)
    }
    for variable in ["RECORDER_PERMISSION", "RECORDER_NO_PROMPT", "RECORDER_CAPTURE_DEVICE"] {
      unsetenv(variable)
    }
    setenv("HOME", path, 1)
    setenv("XDG_RUNTIME_DIR", runtime, 1)
    return path
  }()

  /// The directory in which programs keep their state.
  static var state: URL {
    let variables = ProcessInfo.processInfo.environment
    let home = (variables["HOME"] ?? path) + "/.local/state"
    return URL(filePath: variables["XDG_STATE_HOME"] ?? home)
  }

  /// A path in it that no other test has.
  static func file(_ ending: String) -> String { "\(path)/\(UUID().uuidString).\(ending)" }

  /// A client that no other test has, with access to the microphone where that is asked for.
  static func client(granting: Bool = true) async -> Microphone.Client {
    _ = path
    let client = Microphone.Client("t" + UUID().uuidString.lowercased()) ?? .current
    if granting {
      await Microphone.requestAccess(
        for: "test:ramp", as: client, asking: Microphone.Prompt { _, _ in .always })
    }
    return client
  }

  /// A recorder of the ramp, with samples of type `Float`, which hold the number of each frame.
  static func recorder() async -> Recorder {
    var recorder = Recorder(from: "test:ramp", as: await client())
    recorder.sample = .float32
    recorder.period = .milliseconds(5)
    return recorder
  }
}

/// The numbers of frames that the ramp has put into samples of type `Float`, as far as 24 bits hold them.
func numbers(_ samples: [Float], channels: Int) -> [Int] {
  stride(from: 0, to: samples.count, by: channels).map { number(Int(samples[$0] * 8_388_608)) }
}

/// The low 24 bits of a number.
func number(_ value: some BinaryInteger) -> Int { Int(value) & 0xFF_FFFF }

/// The samples of a WAV file of type `Float`, behind the name of the chunk and its size.
func samples(ofWave path: String) throws -> [Float] {
  let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
  guard let data = bytes.range(of: Data("data".utf8)) else { return [] }
  let size = bytes[data.upperBound..<data.upperBound + 4].enumerated()
    .reduce(0) { $0 + Int($1.element) << (8 * $1.offset) }
  let start = data.upperBound + 4
  return stride(from: start, to: min(start + size, bytes.count - 3), by: 4).map { place in
    let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * $1) }
    return Float(bitPattern: bits)
  }
}

/// The places at which a number does not follow the one before it.
func jumps(_ numbers: [Int]) -> [Int] {
  numbers.indices.dropFirst().filter { numbers[$0] != number(numbers[$0 - 1] + 1) }
}
