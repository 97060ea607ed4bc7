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
  let speech = AudioFormat(sampleRate: 16_000, channelCount: 1, sampleFormat: .int16)
  for try await buffer in Microphone.buffers(format: speech) {
    if buffer.lost > 0 { complain("\(buffer.lost) frames were missed") }
    let written = buffer.bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if written < buffer.bytes.count { break }
  }
} catch {
  complain("\(error)")
  exit(1)
}
