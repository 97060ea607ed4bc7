import Dispatch
import Glibc
import RecorderKit

// Records a memo until Ctrl-C: voice-memo [FILE]
// A line shows the level meanwhile. If the program is killed, “recorder recover” completes the file.

let file = CommandLine.arguments.dropFirst().first ?? "memo.wav"

func fail(_ words: String) -> Never {
  let line = "voice-memo: \(words)\n"
  write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}

/// Returns the time and the level as a line, such as `0:07 ######`.
func line(_ take: Take, _ level: Level) -> String {
  let seconds = take.duration.components.seconds
  let clock = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  // The level of silence is minus infinity.
  let bars = Int((min(max(level.peakDecibels, -60), 0) + 60) / 2)
  return "\(clock) " + String(repeating: "#", count: bars)
}

switch await Microphone.requestAccess() {
case .authorized: break
case .notDetermined: fail("microphone access is not decided yet")
case .denied:
  fail("the microphone is denied; “recorder permission grant --as voice-memo” allows it")
case .restricted: fail("a policy of this machine forbids the microphone")
}

let recording = Task {
  try await Recorder().record(to: file) { take in
    guard isatty(STDOUT_FILENO) == 1 else { return }
    var shown = Duration.zero
    for await levels in take.levels
    where take.duration - shown >= .milliseconds(100) {
      shown = take.duration
      print("\r\u{1B}[K" + line(take, levels.all), terminator: "")
      fflush(nil)
    }
    print()
  }
}

// Cancelling the task ends the recording and saves its sound.
signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interrupt.setEventHandler { recording.cancel() }
interrupt.resume()

do {
  let result = try await recording.value
  print("Saved \(result.path ?? "nothing"), \(result.duration)")
  if let message = result.message { print(message) }
} catch {
  fail("\(error)")
}
