import Foundation
import Linux
import Support

/// A home directory of its own for playing. Its player is ended when the object is released.
final class Theatre {
  let studio: Studio

  init() throws { studio = try Studio(granting: false) }

  deinit {
    for process in studio.processes() { kill(pid_t(process), SIGTERM) }
  }

  /// Ends the player, so that its output is completely in the file.
  func endPlayer() {
    for process in studio.processes() {
      guard let player = try? OtherProcess(Int32(process)) else { continue }
      try? player.send(.terminate)
      _ = try? player.descriptor.wait(upTo: .seconds(5))
    }
  }

  var scratch: ScratchDirectory { _read { yield studio.scratch } }

  /// Runs a script in the home directory. In it, `play` plays on the built-in device, `sound` runs
  /// the commands for sounds, and `taped` waits until no sound plays and the tape ends in silence.
  @discardableResult
  func run(_ script: String, limit: Duration = .seconds(60)) throws -> Outcome {
    let functions = """
      play() { "$recorder" play --device "${device:-test:null}" "$@"; }
      sound() { "$recorder" sound "$@"; }
      taped() {
        await '! sound status | grep -q playing'
        await '[ -s tape.raw ] && [ $(tail -c 8000 tape.raw | tr -d "\\0" | wc -c) = 0 ]'
      }
      cd "$HOME"

      """
    return try sh(functions + script, environment: studio.environment, limit: limit)
  }

  /// Returns the status of every sound that the player knows, by its name.
  func status() throws -> [String: [String: Any]] {
    let outcome = try run("sound status --json")
    let sounds = try parsed(outcome.output)["sounds"] as? [[String: Any]] ?? []
    return Dictionary(sounds.map { ($0["name"] as? String ?? "", $0) }) { $1 }
  }

  /// Waits for a condition on the status of the sounds, and returns whether it came true.
  func wait(until condition: ([String: [String: Any]]) -> Bool) throws -> Bool {
    try comesTrue { condition(try status()) }
  }

  /// Makes a WAV file whose frames count up, with 16 bits, mono, at 48 kHz. Returns the values of
  /// the frames.
  @discardableResult
  func ramp(_ name: String, frames: Int, from first: Int = 1) throws -> [Int16] {
    // Whole periods are appended in one step, because a debug build takes a second to make a million
    // samples one by one.
    let period = (0..<min(frames, 30_000)).map { Int16(truncatingIfNeeded: first + $0) }
    var samples: [Int16] = []
    while samples.count < frames { samples += period.prefix(frames - samples.count) }
    var bytes = Array("RIFF".utf8) + Self.little(36 + 2 * frames, 4) + Array("WAVEfmt ".utf8)
    bytes += Self.little(16, 4) + Self.little(1, 2) + Self.little(1, 2) + Self.little(48_000, 4)
    bytes += Self.little(96_000, 4) + Self.little(2, 2) + Self.little(16, 2)
    bytes += Array("data".utf8) + Self.little(2 * frames, 4)
    samples.withUnsafeBytes { bytes += $0 }
    try Data(bytes).write(to: URL(filePath: scratch.path(name)))
    return samples
  }

  /// Returns the bytes of a number in little-endian order.
  static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Returns the left channel of a tape of stereo floats, with the values that it had in 16 bits.
  func tape(_ name: String) throws -> [Float] {
    let bytes = try scratch.read(name)
    return bytes.withUnsafeBytes { raw in
      let floats = raw.bindMemory(to: Float.self)
      return stride(from: 0, to: floats.count - 1, by: 2).map { floats[$0] * 32_768 }
    }
  }

  /// Configures a card by ALSA's `file` plugin, which writes its sound into `tape.raw`.
  func useTape(over slave: String = "null") throws {
    let existing = ProcessInfo.processInfo.environment["ALSA_CONFIG_PATH"]
    try scratch.write(
      """
      <\(existing ?? "/usr/share/alsa/alsa.conf")>
      pcm.tape {
        type file  slave.pcm "\(slave)"  file "\(scratch.path("tape.raw"))"  format raw
      }
      """, to: "asound.conf")
  }
}
