import Foundation
import Support

extension Studio {
  /// Builds a library of Tests/Preload and returns its path.
  func library(_ name: String) throws -> String {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Preload/\(name).c").path
    let made = try run("cc -shared -fPIC -o \(name).so '\(source)' -ldl")
    guard made.code == 0 else { throw NotStarted(outcome: made) }
    return scratch.path("\(name).so")
  }

  /// What to say before a command so that it runs with such a library.
  func preloading(_ name: String, _ setting: String) throws -> String {
    "LD_PRELOAD=\(try library(name)) \(setting)"
  }

  /// The numbers of the ramp's frames in a sound file, as ffmpeg reads them.
  func decoded(_ name: String) throws -> [UInt32] {
    let raw =
      name.hasSuffix(".raw") || name.hasSuffix(".raw.part") ? "-f s16le -ar 48000 -ac 2" : ""
    let outcome = try run(
      "ffmpeg -v error -y \(raw) -i '\(name)' -f s16le -ac 2 -ar 48000 decoded.raw")
    guard outcome.code == 0, outcome.errors.isEmpty else { throw NotStarted(outcome: outcome) }
    return try ramp("decoded.raw")
  }
}
