import Dispatch
import RecorderKit

// Plays sounds by name or file, several at the same time, as controlled by lines on stdin:
//   play rain        again rain (endless)         pause rain    resume rain    stop rain
//   volume rain 0.3 2 (within two seconds)        pan rain -0.5                 quit

/// Returns the lines of stdin. A thread of a queue reads them, because reading blocks.
func lines() -> AsyncStream<String> {
  let (stream, continuation) = AsyncStream.makeStream(of: String.self)
  DispatchQueue.global().async {
    while let line = readLine() { continuation.yield(line) }
    continuation.finish()
  }
  return stream
}

var board: [String: Playback] = [:]

/// Returns the playback of a name, and creates it at the first use.
@MainActor func playback(_ name: String) throws -> Playback {
  if let playback = board[name] { return playback }
  let sound = name.contains("/") ? try Sound.file(name) : try Sound.named(name)
  let playback = try Player.shared.playback(of: sound)
  board[name] = playback
  return playback
}

@MainActor func obey(_ words: [String]) async throws {
  guard words.count >= 2 else { return print("type an action and a sound") }
  let sound = try playback(words[1])
  let numbers = words.dropFirst(2).compactMap { Double($0) }
  switch words[0] {
  case "play", "again":
    sound.repetition = words[0] == "again" ? .forever : .once
    sound.stop()
    sound.seek(to: .zero)
    try await sound.start()
  case "pause": sound.pause()
  case "resume": sound.resume()
  case "stop": sound.stop(within: .milliseconds(300))
  case "volume":
    sound.setVolume(numbers.first ?? 1, within: .seconds(numbers.count > 1 ? numbers[1] : 0))
  case "pan": sound.pan = numbers.first ?? 0
  default: return print("unknown: \(words[0])")
  }
  print("\(words[1]): \(sound.state), volume \(sound.volume), pan \(sound.pan)")
}

for await line in lines() {
  let words = line.split(separator: " ").map(String.init)
  if words.first == "quit" { break }
  if words.isEmpty { continue }
  do {
    try await obey(words)
  } catch {
    print("\(error)")
  }
}
for sound in board.values { sound.stop(within: .milliseconds(300)) }
for sound in board.values where sound.state != .ended { _ = await sound.waitUntilEnded() }
