import Foundation
import RecorderKit

/// A separate home for the whole run, so that no test reads or writes the user's home.
enum Home {
  /// The directory. Its first use makes it the home of this process, unless the process has a
  /// private home already.
  static let path: String = {
    let path = NSTemporaryDirectory() + "recorderkit-" + UUID().uuidString
    let runtime = path + "/run"
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
    try? FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: attributes)
    // scripts/test-kit has already created a home. The variables below stay as they are, because
    // they locate its card.
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

  /// The directory of the programs' state.
  static var state: URL {
    let variables = ProcessInfo.processInfo.environment
    let home = (variables["HOME"] ?? path) + "/.local/state"
    return URL(filePath: variables["XDG_STATE_HOME"] ?? home)
  }

  /// Returns a path in the home that no other test uses.
  static func file(_ ending: String) -> String { "\(path)/\(UUID().uuidString).\(ending)" }

  /// Returns a client that no other test uses, with access to the microphone if `granting` is true.
  static func client(granting: Bool = true) async -> Microphone.Client {
    _ = path
    let client = Microphone.Client("t" + UUID().uuidString.lowercased()) ?? .current
    if granting {
      await Microphone.requestAccess(
        for: "test:ramp", client: client, asking: Microphone.Prompt { _, _ in .always })
    }
    return client
  }

  /// Returns a recorder of the ramp. Its `Float` samples contain the number of each frame.
  static func recorder() async -> Recorder {
    var recorder = Recorder(from: "test:ramp", client: await client())
    recorder.sampleFormat = .float32
    recorder.bufferDuration = .milliseconds(5)
    return recorder
  }
}

/// Returns the frame numbers that the ramp has put into `Float` samples; only their low 24 bits are
/// known.
func numbers(_ samples: [Float], channels: Int) -> [Int] {
  stride(from: 0, to: samples.count, by: channels).map { number(Int(samples[$0] * 8_388_608)) }
}

/// Returns the low 24 bits of a number.
func number(_ value: some BinaryInteger) -> Int { Int(value) & 0xFF_FFFF }

/// Returns the samples of a `Float` WAV file, which follow the name of the `data` chunk and its
/// size.
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

/// Returns the indices at which a number does not follow the previous one.
func jumps(_ numbers: [Int]) -> [Int] {
  numbers.indices.dropFirst().filter { numbers[$0] != number(numbers[$0 - 1] + 1) }
}
