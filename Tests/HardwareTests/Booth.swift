import Foundation
import Support

/// A home directory with microphone access, to record from the cards of the machine.
final class Booth {
  /// The result of a script.
  struct Outcome {
    let code: Int32?
    let output: String
    let errors: String

    /// The JSON objects among its output lines.
    var objects: [[String: Any]] {
      output.split(separator: "\n").compactMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
      }
    }

    /// Returns the numbers in the lines that begin with `name`.
    func numbers(_ name: String) -> [Int] {
      output.split(separator: "\n").filter { $0.hasPrefix(name + " ") }
        .flatMap { $0.split(separator: " ").dropFirst().compactMap { Int($0) } }
    }
  }

  let scratch: ScratchDirectory
  private let environment: [String: String?]

  init() throws {
    scratch = try ScratchDirectory()
    let given = ProcessInfo.processInfo.environment["RECORDER_PROGRAMS"]
    let programs = try given ?? Products.directory
    environment = scratch.asHome.merging([
      "XDG_RUNTIME_DIR": scratch.path, "programs": programs, "recorder": "\(programs)/recorder",
    ]) { $1 }
    _ = try run("recorder permission grant")
  }

  deinit { _ = try? run("recorder stop --all") }

  /// Runs a Bash script. Programs that it leaves running are ended, except recordings.
  func run(_ script: String, limit: Duration = .seconds(120)) throws -> Outcome {
    let ended = try Tool.run(
      "bash", ["-c", shellFunctions + Self.words + script], environment: environment, limit: limit)
    return Outcome(code: ended.code, output: ended.outputText, errors: ended.errorText)
  }

  /// More functions for the scripts: `feed` plays frames with their own numbers into cards, `clock`
  /// prints milliseconds, and `busy` prints the milliseconds of processor time that a process has
  /// used.
  private static let words = """
    PATH=$programs:$PATH
    cd "$HOME"
    sound=(-q -t raw -f S16_LE -c 2 -r 48000)
    long=(--period-time=100000 --buffer-time=2000000)
    clock() { date +%s%3N; }
    busy() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; }
    play_into() {
      case $1 in
      '') cat > /dev/null ;;
      *) exec chrt -f 30 aplay "${sound[@]}" "${long[@]}" -D "hw:$1,0,0" ;;
      esac
    }
    feed() {
      recorder start - --name feeder --device test:ramp --format raw --bits 16 --channels 2 \
        2> feeder.log |
        tee >(play_into "${2:-}") | play_into "$1" &
      local card
      for card; do
        await "grep -q RUNNING /proc/asound/$card/pcm0p/sub0/status || ! kill -0 $!"
        kill -0 "$!" 2> /dev/null || { cat feeder.log >&2; exit 1; }
      done
    }

    """
}
