import Foundation
import RecorderKit

/// A program that records and asks for access as users of the library do: `hosting ask CLIENT`,
/// `hosting storm TAKES DIRECTORY RECORDER`, `hosting listen`, `hosting read`,
/// `hosting closed FILE`, `hosting sound FILE` or `hosting first TAKES DIRECTORY`.
@main
struct Hosting {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments[0] {
    case "ask":
      guard let client = Microphone.Client(arguments[1]) else { return }
      print("asking")
      print(await Microphone.requestAccess(for: "test:ramp", client: client))
    case "listen":
      do {
        for try await _ in Microphone.buffers(from: "null") {}
      } catch {
        print(error)
      }
    case "storm":
      let count = Int(arguments[1]) ?? 1
      try await Storm(count: count, directory: arguments[2], recorder: arguments[3]).run()
    case "read": await read()
    case "closed": try await recordWithoutErrors(to: arguments[1])
    case "sound": print(try Sound(file: arguments[1]).frameCount ?? -1)
    default: try await first(Int(arguments[1]) ?? 1, in: arguments[2])
    }
  }

  /// Reads a running recording. Prints a line for the first buffer, and another one for the end.
  private static func read() async {
    var hasBegun = false
    do {
      for try await _ in await Running.takes[0].buffers() where !hasBegun {
        hasBegun = true
        // `print` would not write it before the end.
        FileHandle.standardOutput.write(Data("reading\n".utf8))
      }
      print("ended")
    } catch {
      print(error)
    }
  }

  /// Records after stderr was closed, and prints the file that then has its number.
  private static func recordWithoutErrors(to path: String) async throws {
    close(STDERR_FILENO)
    let take = try await Recorder(from: "test:ramp").start(to: path)
    print(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2"))
    await take.stop()
  }

  /// Prints the milliseconds from each start to its first frame.
  private static func first(_ count: Int, in directory: String) async throws {
    for number in 0..<count {
      let began = ContinuousClock.now
      let take = try await Recorder(from: "test:ramp").start(to: "\(directory)/\(number).wav")
      print((ContinuousClock.now - began) / .milliseconds(1))
      await take.stop()
    }
  }
}
