internal import Control
internal import Linux
internal import Store

/// The data from stdin, in an unlinked file that is freed when neither this process nor the player
/// needs it.
final class Spool {
  private let file: Descriptor

  /// The path under which the player opens the file, through this process.
  var path: String { "/proc/\(Environment.processIdentifier)/fd/\(file.number)" }

  /// Reads stdin to its end; throws if it is a terminal or empty.
  init(stdin paths: PlayerPaths) throws {
    guard !Terminal.isTerminal(StandardStream.input.rawValue) else {
      throw Failure(
        .usage, "\"-\" reads a sound from stdin, which is this terminal",
        advice: "give a name, or send a sound through a pipe")
    }
    file = try Failure.context("cannot store the sound from stdin") {
      try Self.collect(in: paths)
    }
    guard try file.status().size > 0 else {
      throw Failure(
        .notASound, "stdin is empty: the program before the pipe wrote nothing",
        advice: "run that program alone to see why")
    }
  }

  private static func collect(in paths: PlayerPaths) throws -> Descriptor {
    let directory = try PrivateDirectory.make(at: paths.user.state)
    let name = ".stdin-\(Environment.processIdentifier)"
    let file = try directory.open(name, [.readWrite, .create, .exclusive, .noFollow])
    try directory.remove(name)
    try copy(into: file)
    return file
  }

  private static func copy(into file: borrowing Descriptor) throws(SystemError) {
    let input = Descriptor(owning: StandardStream.input.rawValue)
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      _ = try input.wait(upTo: nil)
      guard let count = try input.readIfReady(into: &chunk) else { continue }
      if count == 0 { break }
      try file.writeAll(chunk.span.extracting(first: count))
    }
    _ = input.release()
  }
}
