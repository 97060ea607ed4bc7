import Foundation
import Support

extension Studio {
  /// Builds a library of `Tests/Preload` and returns its path.
  func library(_ name: String) throws -> String {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Preload/\(name).c").path
    let made = try run("cc -shared -fPIC -o \(name).so '\(source)' -ldl")
    guard made.code == 0 else { throw NotStarted(outcome: made) }
    return scratch.path("\(name).so")
  }

  /// Returns the variables that load such a library, to be put before a command.
  func preloading(_ name: String, _ setting: String) throws -> String {
    "LD_PRELOAD=\(try library(name)) \(setting)"
  }

  /// Adds marks to the WAV file of a recording without marks: one to each of the first frames.
  func addMarks(_ labels: [String], to name: String) throws {
    var wave = WaveBytes(bytes: try scratch.read(name))
    var points = WaveBytes.little(labels.count, 4)
    var list = WaveBytes(bytes: Array("adtl".utf8))
    for (frame, label) in labels.enumerated() {
      let number = WaveBytes.little(frame + 1, 4)
      let position = WaveBytes.little(frame, 4)
      points += number + position
      points += Array("data".utf8) + WaveBytes.little(0, 8) + position
      list.chunk("labl", number + Array(label.utf8) + [0])
    }
    wave.chunk("cue ", points)
    wave.chunk("LIST", list.bytes)
    wave.bytes.replaceSubrange(4..<8, with: WaveBytes.little(wave.bytes.count - 8, 4))
    try Data(wave.bytes).write(to: URL(filePath: scratch.path(name)))
  }

  /// Returns the frame numbers of the ramp in a sound file, read by ffmpeg.
  func decoded(_ name: String) throws -> [UInt32] { try decoded([name])[0] }

  /// Returns the frame numbers of the ramp in each of some files, read by one ffmpeg. It needs 0.1
  /// s of processor time to load its libraries, and hardly any for a file.
  func decoded(_ names: [String]) throws -> [[UInt32]] {
    guard !names.isEmpty else { return [] }
    let inputs = names.map { name in
      let isRaw = name.hasSuffix(".raw") || name.hasSuffix(".raw.part")
      return (isRaw ? "-f s16le -ar 48000 -ac 2 " : "") + "-i '\(name)'"
    }
    let outputs = names.indices.map { "-map \($0) -f s16le -ac 2 -ar 48000 decoded\($0).raw" }
    let outcome = try run(
      "ffmpeg -v error -y \((inputs + outputs).joined(separator: " "))")
    guard outcome.code == 0, outcome.errors.isEmpty else { throw NotStarted(outcome: outcome) }
    return try names.indices.map { try ramp("decoded\($0).raw") }
  }
}
