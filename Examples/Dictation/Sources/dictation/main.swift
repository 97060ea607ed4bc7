import Glibc
import RecorderKit

// Sends speech to a speech recognition program in the usual format, 16 kHz mono with 16 bits:
// dictation | PROGRAM
// It ends when that program ends. It stores nothing.

func complain(_ words: String) {
  let line = "dictation: \(words)\n"
  write(STDERR_FILENO, line, line.utf8.count)
}

signal(SIGPIPE, SIG_IGN)

guard await Microphone.requestAccess() == .authorized else {
  complain("the microphone is not allowed")
  exit(1)
}

do {
  for try await buffer in Microphone.buffers(AudioFormat(rate: 16_000, channels: 1)) {
    if buffer.lost > 0 { complain("\(buffer.lost) frames were missed") }
    let samples = buffer.array.map { Int16(max(-1, min($0, 1)) * 32_767).littleEndian }
    let written = samples.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if written < samples.count * 2 { break }
  }
} catch {
  complain("\(error)")
  exit(1)
}
